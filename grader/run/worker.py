"""Grades submissions one at a time, each worker in its own sandboxes.

There is one sandbox for each set of packages that exercises need, and another for each further
seed, started when the first submission that might depend on randomness needs it. A worker also
determines whether a record is *lasting*: unaffected by clocks and load.
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
from grader.intake.submissions import build_submission
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.recording import Recorder
from grader.judging.shortening import find_shortest_failure
from grader.reporting.mending import find_first_to_mend
from grader.run.needs import require_isolation, require_packages
from grader.run.tasks import Task
from grader.sandbox.executor import Executor
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.verdict import RuleVerdict, Status, Verdict

# A lasting record is one that grading again would certainly give again. A record that a clock or a
# busy machine might have changed is never reused for another student.


ADVICE_TIMEOUT_S: Final = 10.0
"""The timeout of ruff, which gives advice. A record that took longer might lack advice."""
_LASTING: Final = frozenset(Verdict) - {
    Verdict.MEMORY,
    Verdict.CRASHED,  # the kernel's out-of-memory killer looks like a crash
    Verdict.TAMPERED,
    Verdict.FAULT,
}
TRANSIENT_PROBLEMS: Final = frozenset(
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
"""Keys of messages about conditions that might not occur again."""


def is_lasting(record: Record) -> bool:
    """Return whether grading again would certainly give the same `record`."""
    counterexamples = (group.counterexample for group in record.groups)
    cases = (*record.cases, *(case for case in counterexamples if case is not None))
    messages = [*record.remarks, *record.staff_remarks]
    messages += [message for rule in record.rules for message in rule.evidence]
    return (
        record.status is not Status.FAULT
        and {case.verdict for case in cases} <= _LASTING
        and TRANSIENT_PROBLEMS.isdisjoint(message.key for message in messages)
        and not any(rule.verdict is RuleVerdict.REVIEW for rule in record.rules)
    )


_MAX_ATTEMPTS: Final = 2
"""A submission that breaks its sandbox is retried once in a new one, and then becomes a fault."""
_MARKING_SEED: Final = 0
"""The hash seed with which submissions are graded; other seeds only reveal flakes."""
_Packages = tuple[str, ...]


class GradedRecord(NamedTuple):
    """A record, and whether grading the same files again would certainly give it again."""

    record: Record
    is_lasting: bool


class Worker(ExitStack):
    """Grades submissions one by one; a context manager that closes its sandboxes.

    Use one worker per thread: the kernel kills a zygote when the thread that started it ends.
    """

    def __init__(
        self,
        least_level: int = 0,
        sandbox: Sandbox | None = None,
        start: Callable[[_Packages, int], Sandbox] | None = None,
    ) -> None:
        """Grade at the isolation level `least_level` or above.

        `sandbox`, if given, is already running and has no packages. `start`, by default
        `new_sandbox`, starts all other sandboxes.
        """
        super().__init__()
        self._start: Final = start or new_sandbox
        self._least_level: Final = least_level
        self._started: dict[tuple[_Packages, int], Sandbox] = {}
        self._isolation: Isolation | None = None
        """The isolation of the sandbox used last, even if it has broken since."""
        if sandbox is not None:
            self._started[(), _MARKING_SEED] = self.enter_context(sandbox)

    def grade(self, suite: Suite, submission: Submission) -> GradedRecord:
        """Return the record of `submission`, which is a fault if the grader itself fails.

        If a sandbox breaks, the submission is graded again in a new one. Raises `HostError` if the
        first sandbox cannot be started, or if a sandbox is below the requested isolation level.
        """
        packages = tuple(optional_packages(suite.imports))
        evidence = ""
        for attempts_left in reversed(range(_MAX_ATTEMPTS)):
            try:
                sandbox = self._sandbox(packages)
                reseeded = partial(self._reseeded_sandboxes, packages)
                start_s = time.monotonic()
                record = grade(suite, submission, sandbox, reseeded)
                might_lack_advice = suite.advice and time.monotonic() - start_s >= ADVICE_TIMEOUT_S
                return GradedRecord(record, is_lasting(record) and not might_lack_advice)
            except ZygoteError as error:
                # If no sandbox has ever started, the host is to blame, not the submission.
                if self._isolation is None and not attempts_left:
                    raise
                evidence = evidence or error.message  # of the first attempt
                self._close_sandboxes(packages)
            except HostError:
                raise
            except Exception:  # noqa: BLE001 - any other exception is our bug
                return self.fault(suite, submission, traceback.format_exc())
        return self.fault(suite, submission, evidence)

    def judge_task(self, task: Task) -> tuple[Record, Submission]:
        """Return the record of `task` and its submission.

        If the hand-in cannot be read, the record is a fault. Raises `HostError` if the first
        sandbox cannot be started, or if a sandbox is below the requested isolation level.
        """
        try:
            submission = build_submission(task.hand_in(), task.suite.modules, task.suite.defines)
        except Exception:  # noqa: BLE001 - any exception is our bug
            unread = Submission(student=task.entry.student, modules={}, data={}, raw={})
            return self.fault(task.suite, unread, traceback.format_exc()).record, unread
        return self.grade(task.suite, submission).record, submission

    def record_of(self, task: Task) -> Record:
        """Return the record of `task` without its submission; see `judge_task`."""
        return self.judge_task(task)[0]

    def shorten_first_failure(self, suite: Suite, submission: Submission, record: Record) -> Record:
        """Return `record` with the shortest session that shows its first failure.

        The record is unchanged if nothing fails, or if that failure already has a shorter session.
        If the search for the session fails, the record has none.
        """
        first_failure = find_first_to_mend(record)
        if (
            first_failure is None
            or first_failure.case is None
            or first_failure.shown is not first_failure.case
        ):
            return record
        try:
            sandbox = self._sandbox(tuple(optional_packages(suite.imports)))
            session = find_shortest_failure(suite, submission, first_failure.case, sandbox)
        except Exception:  # noqa: BLE001 - the record is valid without it
            session = None
        return replace(record, shortened=session)

    def add_repairs(self, suite: Suite, submission: Submission, record: Record) -> Record:
        """Return `record` with repairs if the suite requests them and something fails.

        The record is unchanged if the search for repairs raises an exception.
        """
        search = None if suite.repairs is None else EXTRAS.find("repairs")
        if (
            search is None
            or record.status is not Status.GRADED
            or find_first_to_mend(record) is None
        ):
            return record
        try:
            packages = tuple(optional_packages(suite.imports))
            sandbox, reseeded = self._sandbox(packages), partial(self._reseeded_sandboxes, packages)
            repaired: Record = search(suite, submission, record, sandbox, reseeded)
        except Exception:  # noqa: BLE001 - the record is valid without it
            return record
        return repaired

    def fault(self, suite: Suite, submission: Submission, evidence: str) -> GradedRecord:
        """Return the record of a `submission` that the grader failed to grade.

        `evidence`, such as a traceback, is for staff. Starts a sandbox if there was none, because a
        record contains the isolation. Raises `HostError` if that fails.
        """
        if self._isolation is None:
            self._sandbox(tuple(optional_packages(suite.imports)))
        assert self._isolation is not None, "a sandbox was started"
        return GradedRecord(
            Recorder(suite, submission, self._isolation).fault_record(evidence), is_lasting=False
        )

    def _sandbox(self, packages: _Packages) -> Sandbox:
        """Return the sandbox with `packages` and the marking seed, starting it if needed.

        Also stores its isolation for records. Raises `HostError` if the sandbox cannot be started,
        or is below the requested isolation level.
        """
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
        """Close all sandboxes with `packages`, because it is unknown which of them broke."""
        for key in [key for key in self._started if key[0] == packages]:
            self._started.pop(key).close()


class _LazySandbox(Sandbox):
    """A sandbox that starts on first use, because most submissions need only one other seed."""

    def __init__(self, start: Callable[[], Sandbox], least_level: int) -> None:
        self._start: Final = start
        self._least_level: Final = least_level

    @cached_property
    def _started(self) -> Sandbox:
        """The started sandbox; raises `HostError` if it does not start or isolates too little."""
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


def grade_task(task: Task, ready: Sandbox | None = None) -> Record:
    """Return the record of `task`, graded in new sandboxes.

    `ready` is a running sandbox without packages, which is used and then closed. Raises
    `HostError` if no sandbox can be started, or if a package that the exercise needs is not
    installed.
    """
    require_packages([task.suite])
    with Worker(sandbox=ready) as worker:
        return worker.record_of(task)
