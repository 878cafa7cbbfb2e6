"""Sessions in real executors, and what was observed in their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import dedent

from grader.sandbox.budget import Budget
from grader.sandbox.executor import Executor
from grader.sandbox.isolation import Isolation
from grader.sandbox.observation import Died, Observation, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.values.tree import Value
from grader.verdict import Verdict

QUICK = Limits(cpu_s=0.3, wall_s=5.0)
FILES = {"akari.txt": "1 1\n\u25cf\n".encode(), "data/deep.txt": b"deep", "latin.txt": b"\xe9"}


class Forks(Sandbox):
    """A sandbox that counts the executors that it gives."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Give executors of `sandbox`."""
        self._sandbox = sandbox
        self.count = 0

    @property
    def isolation(self) -> Isolation:
        """What they are held by."""
        return self._sandbox.isolation

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh one."""
        self.count += 1
        return self._sandbox.fork(limits)

    def close(self) -> None:
        """Leave the sandbox as it is."""


def run(
    zygote: Sandbox,
    source: str,
    *codes: str,
    limits: Limits = QUICK,
    modules: Mapping[str, str] | None = None,
    usage: Budget | None = None,
) -> SessionRun:
    """Run the expressions `codes` on `source` in a session of its own; `usage` counts it."""
    sources = {name: (f"{name}.py", dedent(text)) for name, text in (modules or {}).items()}
    sources["sample"] = ("sample.py", dedent(source))
    runner = SessionRunner(zygote, Program.from_sources(sources, FILES), limits, usage)
    return runner.run(plan_of(*codes), modules=("sample",))


def run_together(zygote: Sandbox, source: str, *plans: Sequence[str]) -> list[SessionRun]:
    """Run `plans`, each some expressions, on `source` in one executor."""
    program = Program.from_sources({"sample": ("sample.py", dedent(source))}, FILES)
    runner = SessionRunner(zygote, program, QUICK)
    return runner.run_together([plan_of(*codes) for codes in plans], modules=("sample",))


def plan_of(*codes: str) -> tuple[Item, ...]:
    """Return the plan that evaluates the expressions `codes`."""
    return tuple(
        Item(role=Role.STEP, step_index=index, code=code, is_expression=True, binds=())
        for index, code in enumerate(codes)
    )


def gave(
    zygote: Sandbox, source: str, code: str = "f()", modules: Mapping[str, str] | None = None
) -> Value:
    """Return the value of one expression, which must not fail."""
    (observation,) = run(zygote, source, code, modules=modules).observations
    assert isinstance(observation.outcome, Returned), observation
    return observation.outcome.value


def died(observation: Observation) -> tuple[Verdict, str]:
    """Return how the executor died in a step."""
    assert isinstance(observation.outcome, Died), observation
    return observation.outcome.verdict, observation.outcome.evidence
