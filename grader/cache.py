"""Remembers records: the same files on the same suite have the same record, whoever handed them in.

A record is known by its *key*, a hash of all that can change it but the name of the student: the
files as they were read, the suite and the sessions that were drawn, and what they are run with. The
last few records of a run stay in memory. With a folder they are kept for later runs as well; then
the code of the grader is a part of the key too.

What a clock or a busy machine may have changed is never kept, and graded anew each time.

A file in the folder is the record as `grader.judging.record` writes it, with its key before it. It
is taken to the byte or not at all: whatever is wrong with it, the submission is graded.
"""

from __future__ import annotations

import hashlib
import platform
import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from grader.errors import OutputError
from grader.intake.files import SubmissionError, read_file
from grader.intake.submission import Submission
from grader.judging.counterexamples import BRIEF_CPU_S
from grader.judging.record import RECORD_SCHEMA, Record, from_json, to_json
from grader.reporting.writing import is_special, write_atomically
from grader.sandbox.executor import Isolation
from grader.sandbox.sessions import Gate
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.verdict import RuleVerdict, Status, Verdict

Grades: TypeAlias = Callable[[Gate], Record]
"""Grades a submission whose sessions pass through this gate."""

_MOST_IN_MEMORY: Final = 256
_MOST_BYTES: Final = 32 * 1024 * 1024
LONG_S: Final = 10.0
"""The time that ruff has. Who takes longer in all may have lost advice."""
_LASTING: Final = frozenset(Verdict) - {
    Verdict.TIMED_OUT,
    Verdict.MEMORY,
    Verdict.CRASHED,  # so does what the kernel kills for want of memory
    Verdict.TAMPERED,
    Verdict.NOT_RUN,
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
        "staff.budget",
        "staff.unrepeatable",
    }
)
"""Keys of messages about what need not be so the next time."""


class WatchedGate(Gate):
    """The gate of a run as one submission passes it: tells how long its sessions lasted."""

    def __init__(self, gate: Gate) -> None:
        """Let sessions through `gate`."""
        self._gate: Final = gate
        self.longest_s = 0.0
        """The longest session; without end, if one was in doubt and ran alone."""

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold while a session runs beside others."""
        with self._gate.shared():
            start_s = time.monotonic()
            try:
                yield
            finally:
                self.longest_s = max(self.longest_s, time.monotonic() - start_s)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold while a session must have the machine for itself."""
        self.longest_s = float("inf")
        with self._gate.alone():
            yield


@dataclass(slots=True)
class _Known:
    done: threading.Event = field(default_factory=threading.Event)
    record: Record | None = None
    """None while it is being made, and after that if it must not be kept."""


class Cache:
    """The records that a run need not make again, for all of its workers."""

    def __init__(self, folder: Path | None = None) -> None:
        """Keep records in `folder` as well, which is made; whoever may write there is trusted."""
        self._folder: Final = folder
        self._lock: Final = threading.Lock()
        self._known: Final[OrderedDict[str, _Known]] = OrderedDict()
        self._lasting: Final = () if folder is None else (_code_sha256(), sys.version)
        self.trouble: OutputError | None = None
        """Why records are no longer kept in the folder."""
        if folder is not None:
            with suppress(OSError):  # what is wrong with the place, writing there says
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def record(
        self, suite: Suite, submission: Submission, isolation: Isolation, gate: Gate, grades: Grades
    ) -> Record:
        """Return the record of `submission` on `suite`, which `grades` makes if none is known.

        Who comes with the same files meanwhile waits for it.
        """
        key = self._key(suite, submission, isolation)
        with self._lock:
            is_new = key not in self._known
            known = self._known.setdefault(key, _Known())
            self._known.move_to_end(key)
            if len(self._known) > _MOST_IN_MEMORY:
                self._known.popitem(last=False)
        if not is_new:
            known.done.wait()
            if known.record is None:
                return grades(gate)
            return _named(known.record, submission.student)
        try:
            record = known.record = self._kept(key)
            if record is None:
                watched, start_s = WatchedGate(gate), time.monotonic()
                record = grades(watched)
                whole_s = time.monotonic() - start_s
                if _is_brief(suite.limits, watched.longest_s, whole_s) and is_lasting(record):
                    known.record = _named(record, "")
                    self._keep(key, known.record)
        finally:
            known.done.set()
        return _named(record, submission.student)

    def _key(self, suite: Suite, submission: Submission, isolation: Isolation) -> str:
        packages = [*packages_among(suite.imports), *(["ruff"] if suite.advice else [])]
        facts = (
            (RECORD_SCHEMA, *self._lasting, platform.machine(), isolation),
            [(name, _version(name)) for name in packages],
            (suite.sha256, [session.id for session in suite.sessions]),
            replace(submission, student=""),
        )
        return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()

    def _kept(self, key: str) -> Record | None:
        """Return the record in the folder, None if there is none that is sound."""
        if self._folder is None:
            return None
        try:
            path = self._folder / f"{key}.json"
            data = read_file(path, path.name, _MOST_BYTES)
            record = from_json(data)
        except (SubmissionError, OSError, ValueError, RecursionError):
            return None
        return record if data == _filed(key, record) and is_lasting(record) else None

    def _keep(self, key: str, record: Record) -> None:
        if self._folder is None or self.trouble is not None:
            return
        path = self._folder / f"{key}.json"
        try:
            if not is_special(path):
                write_atomically(path, _filed(key, record))
        except OutputError as error:
            self.trouble = error


def is_lasting(record: Record) -> bool:
    """Return whether `record` has nothing in it that may be otherwise the next time."""
    shown = (group.counterexample for group in record.groups)
    cases = (*record.cases, *(case for case in shown if case is not None))
    said = [*record.remarks, *record.staff_remarks]
    said += [each for rule in record.rules for each in rule.evidence]
    return (
        record.status is not Status.FAULT
        and {case.verdict for case in cases} <= _LASTING
        and PASSING_TROUBLES.isdisjoint(each.key for each in said)
        and not any(rule.verdict is RuleVerdict.REVIEW for rule in record.rules)
    )


def _is_brief(limits: Limits, longest_s: float, whole_s: float) -> bool:
    """Return whether certainly no clock cut anything off: neither a session nor the whole."""
    return longest_s < min(BRIEF_CPU_S, limits.cpu_s, limits.wall_s) and whole_s < min(
        LONG_S, limits.submission_cpu_s, limits.submission_wall_s
    )


def _named(record: Record, student: str) -> Record:
    return replace(record, id=student, student=student)


def _filed(key: str, record: Record) -> bytes:
    return b'{"key":"%s",' % key.encode("ascii") + to_json(record)[1:]


@cache
def _version(package: str) -> str:
    from importlib import metadata  # noqa: PLC0415 - it takes long, and few exercises need it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # nobody knows: as good as another one each time
        return secrets.token_hex()


@cache
def _code_sha256() -> str:
    """Return the hash of all that this package consists of."""
    root, sha256 = Path(__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            sha256.update(ascii((path.relative_to(root).as_posix(), content)).encode("ascii"))
    return sha256.hexdigest()
