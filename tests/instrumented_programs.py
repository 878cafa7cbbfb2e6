"""Programs that run with instruments, and what the evidence says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Final

from grader.demands import Probe, ProbeStep
from grader.limits import Limits
from grader.observation import Returned
from grader.probing.prober import Prober, Sighting
from grader.program import Program
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRunner
from grader.values import Atom


@dataclass(frozen=True, slots=True)
class Site:
    """What the evidence says of one function."""

    entered: int
    reentered: int
    deepest: int


def prober(zygote: Zygote, source: str, **modules: str) -> Prober:
    """Return what probes `source`, with further modules by name."""
    sources = {name: (f"{name}.py", dedent(text)) for name, text in modules.items()}
    sources["sample"] = ("sample.py", dedent(source))
    program = Program.of("sample", sources, {})
    return Prober(SessionRunner(zygote, program, Limits(), Gate()))


def look(
    zygote: Zygote,
    source: str,
    size: int = 5,
    *,
    call: str = "f(n)",
    setup: tuple[str, ...] = (),
    **settings: object,
) -> Sighting:
    """Return what a probe of `call` shows."""
    steps = tuple(ProbeStep(code=code, is_expression=False) for code in setup)
    probe = Probe(sizes=(size,), setup=steps, call=ProbeStep(code=call, is_expression=True))
    return prober(zygote, source).look(probe, size, settings=settings)


def gave(sighting: Sighting) -> object:
    """Return the plain value of the call, which must not fail."""
    assert isinstance(sighting.call.outcome, Returned), sighting.call
    assert isinstance(sighting.call.outcome.value, Atom)
    return sighting.call.outcome.value.value


def told(sighting: Sighting) -> Mapping[str, Any]:
    """Return the evidence, which must be there."""
    assert sighting.evidence is not None, sighting
    return sighting.evidence


def sites(sighting: Sighting) -> dict[str, Site]:
    """Return the sites by the end of their keys, without module and line."""
    return {
        key.removeprefix("sample.").rpartition(":")[0]: Site(*counts)
        for key, *counts in told(sighting)["sites"]
    }


DIRECT: Final = """
    def f(n):
        if n == 0:
            return 0
        return n + f(n - 1)
"""
