"""One life of a submission after the other, under an instructor's own tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from executor_sessions import Forks

from grader.errors import HostError
from grader.plugins.own_tests.bridge.proxies import ProxyModule
from grader.plugins.own_tests.proxying.link import HOST, Link, SubmissionEnded
from grader.plugins.own_tests.proxying.workbench import Workbench
from grader.sandbox.executor import Executor
from grader.sandbox.program import Program
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.verdict import Verdict

COUNTER: Final = "values = []\ndef grow():\n    values.append(1)\n    return len(values)\n"


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A zygote whose executors work with tests."""
    with Zygote(hosts=[HOST]) as running:
        yield running


class Kept(Forks):
    """A sandbox that remembers the executors that it gives."""

    def __init__(self, sandbox: Zygote) -> None:
        super().__init__(sandbox)
        self.given: list[Executor] = []

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh one."""
        self.given.append(super().fork(limits))
        return self.given[-1]


def collected(sandbox: Forks, source: str, *, imports: bool = True) -> tuple[Workbench, Any]:
    """Return what tests have of a submission when they have been collected."""
    program = Program.from_sources({"sol": ("sol.py", source)}, {})
    program.is_reused = True
    bench = Workbench(Link(sandbox, program, Limits()), {}, (), list)
    proxy = ProxyModule("sol")
    if imports:
        bench.import_("sol", proxy, is_reload=False)
    bench.keep()
    return bench, proxy


def test_the_next_executor_has_imported_before_it_is_wanted(zygote: Zygote) -> None:
    """It is sent what is on record while a test runs, answers unasked, and is then the next."""
    sandbox = Kept(zygote)
    bench, proxy = collected(sandbox, COUNTER)
    assert 1 == sandbox.count
    bench.restart()
    assert 3 == sandbox.count
    assert sandbox.given[2]._process.has_sent(60)
    assert [1, 2] == [proxy.grow(), proxy.grow()]
    bench.restart()
    assert 4 == sandbox.count
    assert 1 == proxy.grow()
    assert sandbox.given[2] is bench.link._current.executor  # type: ignore[union-attr]
    bench.link.end()
    assert [True] * 4 == [each._has_ended for each in sandbox.given]


def test_the_file_of_a_module_is_known_without_a_submission(zygote: Zygote) -> None:
    """`inspect` reads it of all modules, also in a process where there is nobody to ask."""
    bench, proxy = collected(Kept(zygote), COUNTER)
    if not (child := os.fork()):
        differs = True
        try:
            differs = proxy.__file__ != "sol.py"
        finally:
            os._exit(differs)
    assert (child, 0) == os.waitpid(child, 0)
    bench.link.end()


LIVES: Final = """
class Thing:
    alive = 0
    def __init__(self): Thing.alive += 1
    def __del__(self): Thing.alive -= 1
"""


def test_what_was_let_go_last_during_collection_is_let_go_in_each_life(zygote: Zygote) -> None:
    """Each executor makes the objects that collection made, and gives up those that tests did."""
    program = Program.from_sources({"sol": ("sol.py", LIVES)}, {})
    bench = Workbench(Link(Kept(zygote), program, Limits()), {}, (), list)
    proxy = ProxyModule("sol")
    bench.import_("sol", proxy, is_reload=False)
    kept = [proxy.Thing(), proxy.Thing()]
    del kept[0]  # no message follows that could tell
    bench.keep()
    for _ in range(2):
        bench.restart()
        assert 1 == proxy.Thing.alive
    kept.clear()
    bench.restart()
    assert 0 == proxy.Thing.alive
    bench.link.end()


class StoppingThird(Kept):
    """A sandbox whose third executor has read nothing until it is told to go on."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh one."""
        given = super().fork(limits)
        if self.count == 3:
            self.signal_third(signal.SIGSTOP)
        return given

    def signal_third(self, *signals: signal.Signals) -> None:
        """Send the third executor `signals`."""
        for each in signals:
            os.kill(self.given[2]._process._pid, each)  # type: ignore[attr-defined]


def test_what_goes_wrong_ahead_costs_the_test_that_wants_it(zygote: Zygote) -> None:
    """A test goes on beside a next executor that has ended; whoever gets that one is told."""
    sandbox = StoppingThird(zygote)
    bench, proxy = collected(sandbox, COUNTER)
    bench.restart()
    sandbox.signal_third(signal.SIGABRT, signal.SIGCONT)
    assert 1 == proxy.grow()
    bench.restart()
    assert [Verdict.CRASHED] == [each.verdict for each in bench.troubles]
    with pytest.raises(SubmissionEnded):
        proxy.grow()
    bench.restart()
    assert 1 == proxy.grow()
    bench.link.end()


class Exhausted(Kept):
    """A sandbox that can give two executors only."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh one, as long as there are any."""
        if self.count == 2:
            raise HostError("no more processes")
        return super().fork(limits)


def test_a_test_needs_no_next_executor(zygote: Zygote) -> None:
    """Where none can be made ahead, the test that is run goes on; the next one is told."""
    bench, proxy = collected(Exhausted(zygote), COUNTER)
    bench.restart()
    assert 1 == proxy.grow()
    with pytest.raises(HostError):
        bench.restart()
    bench.link.end()


def test_going_through_the_record_takes_no_longer_than_a_test(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it together has the clock of a session; what is sent ahead waits unread."""
    bench, _ = collected(Kept(zygote), COUNTER)
    asked: list[tuple[str, Any]] = []
    for name in ("replies", "send_ahead"):
        note_in(asked, monkeypatch, name)
    bench.restart()
    bench.link.end()
    assert ("replies", Limits().session_wall_s) in asked
    assert ("send_ahead", None) in asked


def note_in(asked: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Note in `asked` the clock of a session with each call of this method."""
    method = getattr(Executor, name)

    def noted(self: Executor, requests: Any, **clocks: float) -> Any:
        asked.append((name, clocks.get("session_wall_s")))
        return method(self, requests, **clocks)

    monkeypatch.setattr(Executor, name, noted)


def test_nothing_runs_before_tests_ask_for_it(zygote: Zygote) -> None:
    """Where no file of tests imports the submission, collecting them needs no executor."""
    sandbox = Kept(zygote)
    bench, proxy = collected(sandbox, COUNTER, imports=False)
    assert 0 == sandbox.count
    bench.restart()
    bench.import_("sol", proxy, is_reload=False)
    assert 1 == proxy.grow()
    bench.link.end()
