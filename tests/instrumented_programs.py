"""Programs that run with instruments, and what the evidence says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Final

from grader.judging.probing import Probe, ProbeObservation, ProbeRunner, ProbeStep
from grader.sandbox.observation import Returned
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.tree import Atom


@dataclass(frozen=True, slots=True)
class Site:
    """What the evidence says of one function."""

    entered: int
    reentered: int
    deepest: int


def prober(zygote: Zygote, source: str, **modules: str) -> ProbeRunner:
    """Return what probes `source`, with further modules by name."""
    sources = {name: (f"{name}.py", dedent(text)) for name, text in modules.items()}
    sources["sample"] = ("sample.py", dedent(source))
    program = Program.from_sources(sources, {})
    return ProbeRunner(SessionRunner(zygote, program, Limits()))


def look(
    zygote: Zygote,
    source: str,
    size: int = 5,
    *,
    call: str = "f(n)",
    setup: tuple[str, ...] = (),
    **settings: object,
) -> ProbeObservation:
    """Return what a probe of `call` shows."""
    steps = tuple(ProbeStep(code=code, is_expression=False) for code in setup)
    probe = Probe(
        sizes=(size,),
        setup=steps,
        call=ProbeStep(code=call, is_expression=True),
        modules=("sample",),
    )
    return prober(zygote, source).session(probe, size, settings=settings).observe()


def gave(observation: ProbeObservation) -> object:
    """Return the plain value of the call, which must not fail."""
    assert isinstance(observation.call.outcome, Returned), observation.call
    assert isinstance(observation.call.outcome.value, Atom)
    return observation.call.outcome.value.value


def told(observation: ProbeObservation) -> Mapping[str, Any]:
    """Return the evidence, which must be there."""
    assert observation.evidence is not None, observation
    return observation.evidence


def sites(observation: ProbeObservation) -> dict[str, Site]:
    """Return the sites by the end of their keys, without module and line."""
    return {
        key.removeprefix("sample.").rpartition(":")[0]: Site(*counts)
        for key, *counts in told(observation)["sites"]
    }


DIRECT: Final = """
    def f(n):
        if n == 0:
            return 0
        return n + f(n - 1)
"""
