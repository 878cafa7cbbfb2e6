"""Grades submissions one by one, in its own sandboxes.

There is one sandbox for each set of packages that exercises need, and one more for each other seed,
started when the first submission that may depend on randomness needs it. Each record comes with
whether it is lasting: unaffected by clocks and load.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from typing import Final, NamedTuple

from grader.errors import HostError, ZygoteError
from grader.intake.submission import Submission
from grader.intake.submissions import understood
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.recording import Recorder
from grader.judging.shortening import shortest
from grader.reporting.mending import first_of
from grader.run.needs import require_isolation, require_packages
from grader.run.tasks import Task
from grader.sandbox.executor import Executor
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.verdict import RuleVerdict, Status, Verdict

# Lasting records would certainly be the same the next time. Others, which a clock or a busy machine
# may have changed, are never reused for another student.


LONG_S: Final = 10.0
"""The timeout of ruff, for advice. A submission that took longer altogether may lack advice."""
_LASTING: Final = frozenset(Verdict) - {
    Verdict.MEMORY,
    Verdict.CRASHED,  # the kernel's out-of-memory killer looks like a crash
    Verdict.TAMPERED,
    Verdict.FAULT,
}
PASSING_TROUBLES: Final = frozenset(
    {
        "cost.time_measured",
        "loading.memory",
        "loading.timed_out",
        "not_run.budget",
        "not_run.replies",
        "rule.slow",
        "rule.unreadable",
        "staff.clock",
        "staff.slept",
        "staff.unrepeatable",
    }
)
"""Keys of messages about conditions that may not recur."""


def is_lasting(record: Record) -> bool:
    """Return whether `record` would certainly be the same the next time."""
    counterexamples = (group.counterexample for group in record.groups)
    cases = (*record.cases, *(case for case in counterexamples if case is not None))
    messages = [*record.remarks, *record.staff_remarks]
    messages += [each for rule in record.rules for each in rule.evidence]
    return (
        record.status is not Status.FAULT
        and {case.verdict for case in cases} <= _LASTING
        and PASSING_TROUBLES.isdisjoint(each.key for each in messages)
        and not any(rule.verdict is RuleVerdict.REVIEW for rule in record.rules)
    )


_MAX_ATTEMPTS: Final = 2
"""A submission that breaks a sandbox is retried in a new one; the second time it is a fault."""
_MARKING_SEED: Final = 0
"""The seed of the marks."""
_Packages = tuple[str, ...]


class Made(NamedTuple):
    """A record, and whether the same files would certainly get it again."""

    record: Record
    is_lasting: bool


class Worker(ExitStack):
    """Grades one submission after the other; a context manager that ends its sandboxes.

    The kernel kills a zygote when the thread that started it ends: use one worker per thread.
    """

    def __init__(
        self,
        least_level: int = 0,
        ready: Sandbox | None = None,
        start: Callable[[_Packages, int], Sandbox] | None = None,
    ) -> None:
        """Grade with at least isolation level `least_level`.

        `ready` is a started sandbox without packages, if any; `start`, by default `new_sandbox`,
        starts others.
        """
        super().__init__()
        self._start: Final = start or new_sandbox
        self._least_level: Final = least_level
        self._started: dict[tuple[_Packages, int], Sandbox] = {}
        self._isolation: Isolation | None = None
        """The isolation of the latest sandbox, broken or not."""
        if ready is not None:
            self._started[(), _MARKING_SEED] = self.enter_context(ready)

    def grade(self, suite: Suite, submission: Submission) -> Made:
        """Return the record of `submission`; our own failures make it a fault.

        Raises `HostError` if the first sandbox cannot be started, or lacks the requested isolation
        level.
        """
        packages = tuple(packages_among(suite.imports))
        evidence = ""
        for attempts_left in reversed(range(_MAX_ATTEMPTS)):
            try:
                sandbox = self._sandbox(packages)
                reseeded = partial(self._reseeded_sandboxes, packages)
                start_s = time.monotonic()
                record = grade(suite, submission, sandbox, reseeded)
                may_lack_advice = suite.advice and time.monotonic() - start_s >= LONG_S
                return Made(record, is_lasting(record) and not may_lack_advice)
            except ZygoteError as error:
                # No sandbox has ever started: the host is at fault, not the submission.
                if self._isolation is None and not attempts_left:
                    raise
                evidence = evidence or error.message
                self._close_sandboxes(packages)
            except HostError:
                raise
            except Exception:  # noqa: BLE001 - any other exception is our bug
                return self.fault(suite, submission, traceback.format_exc())
        return self.fault(suite, submission, evidence)

    def judged(self, task: Task) -> tuple[Record, Submission]:
        """Return the record of `task`, and its submission; raises `HostError` as `grade` does."""
        try:
            submission = understood(task.hand_in(), task.suite.modules, task.suite.defines)
        except Exception:  # noqa: BLE001 - as above: not the student's fault
            unread = Submission(student=task.entry.student, modules={}, data={}, raw={})
            return self.fault(task.suite, unread, traceback.format_exc()).record, unread
        return self.grade(task.suite, submission).record, submission

    def record_of(self, task: Task) -> Record:
        """Return the record of `task`; raises `HostError` as `grade` does."""
        return self.judged(task)[0]

    def shortened(self, suite: Suite, submission: Submission, record: Record) -> Record:
        """Return `record` with its first failure in the shortest session that shows it."""
        first = first_of(record)
        if first is None or first.case is None or first.shown is not first.case:
            return record
        try:
            sandbox = self._sandbox(tuple(packages_among(suite.imports)))
            session = shortest(suite, submission, first.case, sandbox)
        except Exception:  # noqa: BLE001 - the record is valid without it
            session = None
        return replace(record, shortened=session)

    def repaired(self, suite: Suite, submission: Submission, record: Record) -> Record:
        """Return `record` with repairs, if the suite asks for them."""
        search = None if suite.repairs is None else EXTRAS.find("repairs")
        if search is None or record.status is not Status.GRADED or first_of(record) is None:
            return record
        try:
            packages = tuple(packages_among(suite.imports))
            sandbox, reseeded = self._sandbox(packages), partial(self._reseeded_sandboxes, packages)
            repaired: Record = search(suite, submission, record, sandbox, reseeded)
        except Exception:  # noqa: BLE001 - the record is valid without it
            return record
        return repaired

    def fault(self, suite: Suite, submission: Submission, evidence: str) -> Made:
        """Return the record of a `submission` that we failed to grade; `evidence` is for staff."""
        if self._isolation is None:
            self._sandbox(tuple(packages_among(suite.imports)))
        assert self._isolation is not None, "a sandbox was started"
        return Made(Recorder(suite, submission, self._isolation).fault(evidence), is_lasting=False)

    def _sandbox(self, packages: _Packages) -> Sandbox:
        """Return the sandbox for marks with `packages`, starting it if needed."""
        if (packages, _MARKING_SEED) not in self._started:
            self._started[packages, _MARKING_SEED] = self.enter_context(
                self._start(packages, _MARKING_SEED)
            )
        sandbox = self._started[packages, _MARKING_SEED]
        self._isolation = sandbox.isolation
        require_isolation(sandbox.isolation, self._least_level)
        return sandbox

    def _reseeded_sandboxes(self, packages: _Packages) -> Sequence[Sandbox]:
        """Return the sandboxes with `packages` and other seeds; each starts on first use."""
        for seed in OTHER_SEEDS:
            if (packages, seed) not in self._started:
                sandbox = _LazySandbox(partial(self._start, packages, seed), self._least_level)
                self._started[packages, seed] = self.enter_context(sandbox)
        return [self._started[packages, seed] for seed in OTHER_SEEDS]

    def _close_sandboxes(self, packages: _Packages) -> None:
        """Close all sandboxes with `packages`: one of them broke, but it is unknown which."""
        for key in [each for each in self._started if each[0] == packages]:
            self._started.pop(key).close()


class _LazySandbox(Sandbox):
    """A sandbox that starts on first use: most submissions need only one other seed."""

    def __init__(self, start: Callable[[], Sandbox], least_level: int) -> None:
        self._start: Final = start
        self._least_level: Final = least_level

    @cached_property
    def _started(self) -> Sandbox:
        started = self._start()
        require_isolation(started.isolation, self._least_level)
        return started

    @property
    def isolation(self) -> Isolation:
        return self._started.isolation

    def fork(self, limits: Mapping[str, int]) -> Executor:
        return self._started.fork(limits)

    def close(self) -> None:
        if "_started" in vars(self):  # reading the cached property would start it
            self._started.close()


def grade_one(task: Task, ready: Sandbox | None = None) -> Record:
    """Return the record of `task`, graded in its own sandboxes.

    `ready` is a started sandbox without packages, which is closed at the end. Raises `HostError`
    if no sandbox can be started.
    """
    require_packages([task.suite])
    with Worker(ready=ready) as worker:
        return worker.record_of(task)
