"""Real executors: how they end, what their zygote promises, and how they run alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from textwrap import indent
from threading import Timer
from typing import Final

import pytest
from executor_sessions import Forks, died, gave, run

from grader.errors import ExecutorKilled, ZygoteError
from grader.sandbox import zygote as zygote_module
from grader.sandbox.executor import Executor, ExecutorEnded
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.program import Program
from grader.sandbox.sandbox import probe_isolation
from grader.sandbox.session_runs import executor_limits
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.tree import Atom
from grader.verdict import Verdict

KERNEL_LIMITS = executor_limits(
    Limits(memory_bytes=1 << 28, output_chars=1_000, recursion=5_000), session_cpu_s=5
)
WAITS: Final = "from threading import Lock\nlock = Lock()\nlock.acquire()\nlock.acquire()\n"


# How an executor ends


@pytest.mark.parametrize(
    ("body", "verdict", "evidence"),
    [
        ("while True: pass", Verdict.TIMED_OUT, "units of the step"),
        ("import os; os._exit(0)", Verdict.EXITED, "exit code 0"),
        ("import os; os._exit(3)", Verdict.EXITED, "exit code 3"),
        ("import os; os.abort()", Verdict.CRASHED, "signal SIG"),
        ("import os; os.closerange(3, 64)", Verdict.EXITED, "exit code 70"),
        (
            "import os\n    os.closerange(3, 64)\n    while True: pass",
            Verdict.CRASHED,
            "channel closed, signal SIGKILL",
        ),
    ],
    ids=["loop", "exit", "exit 3", "abort", "close", "close and loop"],
)
def test_the_guilty_step_is_named(
    zygote: Zygote, body: str, verdict: Verdict, evidence: str
) -> None:
    """Steps before it have their observations, the step itself its verdict, the rest nothing."""
    source = f"def f():\n    {body}\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert seen.loaded
    first, last = seen.observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert verdict is died(last)[0]
    assert evidence in died(last)[1]


@pytest.mark.parametrize(
    ("body", "verdict", "executors"),
    [
        ("while True: pass", Verdict.TIMED_OUT, 1),
        ("os._exit(0)", Verdict.EXITED, 1),
        ("os.abort()", Verdict.CRASHED, 1),
        ("return [bytearray(1 << 20) for _ in range(10_000)]", None, 1),
        ("return [type(chr(233) * 200, (), {})()] * 19_000", Verdict.OUTPUT, 1),
        ("print('x' * 1_000_000)", None, 1),
    ],
    ids=["loop", "exit", "crash", "memory", "flood", "print"],
)
def test_one_executor_is_enough_to_name_the_step(
    zygote: Zygote, body: str, verdict: Verdict | None, executors: int
) -> None:
    """What the steps before it gave is known by then; who goes on after it is asked on."""
    forks, source = Forks(zygote), f"import os\ndef f(n):\n    if n != 3: return n\n    {body}\n"
    seen = run(forks, source, *(f"f({n})" for n in range(6)), limits=Limits(cpu_s=0.3))
    assert executors == forks.count
    numbers = [0, 1, 2] if verdict else [0, 1, 2, 4, 5]
    gave = [each.outcome for each in seen.observations]
    assert [Returned(value=Atom(n), identity=None) for n in numbers] == gave[:3] + gave[4:]
    if verdict is not None:
        assert verdict is died(seen.observations[3])[0]


def test_who_waits_for_nothing_is_given_up(zygote: Zygote) -> None:
    """Code that waits uses no CPU time; it is ended all the same."""
    source = f"def f():\n{indent(WAITS, '    ')}"
    seen = run(zygote, source, "f()", limits=Limits(cpu_s=5, wall_s=0.3))
    assert (Verdict.TIMED_OUT, "it waited too long") == died(seen.observations[0])


def test_it_is_told_which_clock_ran_out(zygote: Zygote) -> None:
    """Who waits is told apart from who computes."""
    load: dict[str, object] = {"files": {}, "imports": ["threading"], "asked": {}, "keep": False}
    loop = {"import": [["*", "m"]], "plans": [], "last": True}
    for limit, idle in (("cpu", False), ("wall", True)):
        source = "while True: pass" if limit == "cpu" else WAITS
        load["modules"] = {"m": {"file": "m.py", "source": source}}
        executor = zygote.fork(KERNEL_LIMITS)
        executor.ask(load, cpu_s=1, wall_s=10)
        with pytest.raises(ExecutorEnded) as caught:
            executor.ask(loop, cpu_s=0.1, wall_s=10 if limit == "cpu" else 0.1)
        ended = caught.value
        assert (Verdict.TIMED_OUT, True, idle) == (ended.verdict, ended.by_clock, ended.idle)


def test_the_kernel_keeps_the_limit_of_the_session(zygote: Zygote) -> None:
    """Steps that are each within their limit may not be too long together."""
    source = "def f(): return sum(range(10**12))\n"
    seen = run(zygote, source, "f()", limits=Limits(cpu_s=30, session_cpu_s=0.1))
    assert (Verdict.TIMED_OUT, "CPU limit of the session") == died(seen.observations[0])


def test_an_executor_that_ended_can_be_ended_again(zygote: Zygote) -> None:
    """Ending is for always, and more than once does no harm."""
    executor = zygote.fork(KERNEL_LIMITS)
    executor.end()
    executor.end()
    assert Atom(1) == gave(zygote, "", "1")


# The zygote


def test_zygote_reaches_what_the_probe_promises(zygote: Zygote) -> None:
    """What `grader doctor` finds is what executors get, with the modules of submissions loaded."""
    level, layers = probe_isolation()
    assert (level, layers) == (zygote.isolation.level, zygote.isolation.layers)


def test_a_dead_zygote_takes_no_orders() -> None:
    """The host's trouble is an exception, never a verdict."""
    with Zygote() as doomed:
        os.kill(doomed._process.pid, signal.SIGKILL)
        doomed._process.wait()
        with pytest.raises(ZygoteError) as caught:
            doomed.fork(KERNEL_LIMITS)
        assert caught.value.exit_code == 4


def test_a_zygote_that_dies_during_a_session_is_no_verdict() -> None:
    """An executor that dies because its zygote did is not the submission's fault."""
    with Zygote() as doomed:
        executor = doomed.fork(KERNEL_LIMITS)
        os.kill(doomed._process.pid, signal.SIGKILL)
        doomed._process.wait()
        with pytest.raises(ZygoteError):
            executor.ask(
                {"modules": {}, "files": {}, "imports": [], "asked": {}, "keep": False},
                cpu_s=1,
                wall_s=5,
            )


class Killing(Forks):
    """A sandbox of which somebody else kills the first executors while they compute."""

    def __init__(self, sandbox: Zygote, killed: int) -> None:
        """Kill so many of them."""
        super().__init__(sandbox)
        self._killed = killed

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh one, that may not live long."""
        executor = super().fork(limits)
        if self.count <= self._killed:
            pid = executor._process._pid  # type: ignore[attr-defined] # a forked one has it
            Timer(0.1, os.kill, (pid, signal.SIGKILL)).start()
        return executor


WAITS_A_WHILE: Final = "from threading import Lock\nlock = Lock()\nlock.acquire()\n"
SLOW_TO_LOAD = f"{WAITS_A_WHILE}lock.acquire(timeout=0.3)\ndef f(): return 5\n"
SLOW_TO_ANSWER = f"""
def f():
{indent(WAITS_A_WHILE, "    ")}
    lock.acquire(timeout=0.3)
    return 5
"""


@pytest.mark.parametrize("source", [SLOW_TO_LOAD, SLOW_TO_ANSWER])
def test_an_executor_that_somebody_else_kills_says_nothing_of_the_submission(
    zygote: Zygote, source: str
) -> None:
    """The session runs once more, wherever it was: on a machine that is short of memory, say."""
    killing = Killing(zygote, killed=1)
    assert Atom(5) == gave(killing, source)
    assert 2 == killing.count


def test_executors_that_are_killed_again_and_again_are_our_fault(zygote: Zygote) -> None:
    """Nobody loses points for a machine that cannot run them."""
    with pytest.raises(ExecutorKilled, match="killed by another process"):
        run(Killing(zygote, killed=2), SLOW_TO_LOAD, "f()")


def test_who_lives_on_after_its_cpu_time_is_killed_and_not_tried_again(zygote: Zygote) -> None:
    """The kernel kills whoever ignores the signal that comes first: that is no bad luck."""
    source = (
        "import sys\nsys.modules['_signal'].signal(24, 1)  # SIGXCPU, SIG_IGN\nsum(range(10**12))"
    )
    forks = Forks(zygote)
    seen = run(forks, source, "1", limits=Limits(cpu_s=9, wall_s=20, session_cpu_s=0.1))
    assert Verdict.CRASHED is died(seen.imported.observation)[0]
    assert 1 == forks.count


def test_a_zygote_that_breaks_says_why() -> None:
    """The last line that the zygote wrote stands in the error."""
    with Zygote() as doomed:
        doomed._control.send(b"R-not-a-number")
        with pytest.raises(ZygoteError, match=r"the zygote .*: ValueError: invalid literal"):
            doomed._read_answer()


def test_a_zygote_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is reported with the interpreter's own words."""
    monkeypatch.setattr(zygote_module, "PACKAGE_ROOT", "/nowhere")
    with pytest.raises(ZygoteError, match="did not start: ModuleNotFoundError") as caught, Zygote():
        pass
    assert "grader doctor" in (caught.value.help or "")


def test_spare_executors_have_the_limits_that_were_asked(zygote: Zygote) -> None:
    """An executor that was ordered ahead is used for the same limits only."""
    source = (
        "import sys\ndef f():\n  sys.setrecursionlimit(10**9)\n  return sys.getrecursionlimit()\n"
    )
    for ceiling in (4_000, 4_000, 5_000, 4_000):
        (observation,) = run(zygote, source, "f()", limits=Limits(recursion=ceiling)).observations
        assert Returned(value=Atom(ceiling), identity=None) == observation.outcome


def test_large_code_and_large_steps_do_not_wait_for_each_other(zygote: Zygote) -> None:
    """The code goes home before the steps are sent, where a channel does not hold both."""
    source = f"WORDS = {tuple(f'word{n:06}' for n in range(30_000))}\ndef f(x): return len(x)"
    program = Program.of({"sample": ("sample.py", source)}, {})
    program.lasts = True
    item = Item(role=Role.STEP, step_index=0, code="", is_expression=True, binds=())
    plan = tuple(replace(item, code=f"f({list(range(n, n + 3000))})") for n in range(20))
    run = SessionRunner(zygote, program, Limits()).run(plan, modules=("sample",))
    assert [Atom(3000)] * 20 == [
        each.outcome.value for each in run.observations if isinstance(each.outcome, Returned)
    ]
