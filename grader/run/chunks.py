"""The requests sent to local or remote workers, and the replies.

A *chunk* is some submissions with the suites that they are graded on; the reply has an *outcome*
for each. A worker trusts its sender: a chunk is pickled. The reply is not trusted: it is JSON whose
shape is checked, and never unpickled.
"""

from __future__ import annotations

import json
import pickle
import platform
import sys
import threading
import time
import traceback
import weakref
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from grader.errors import HostError
from grader.intake.submission import Submission
from grader.intake.submissions import HandIn, understood
from grader.judging.record import Record
from grader.judging.rescoring import rescored
from grader.reporting.index_page import IndexEntry
from grader.reporting.mending import first_case_to_mend
from grader.reporting.output import session_titles
from grader.reporting.pseudonyms import Pseudonyms
from grader.reporting.results import entry_json
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.run.needs import require_packages
from grader.run.outcomes import Outcome, plain
from grader.run.worker import Made, Worker
from grader.store.graded import Earlier, Graded, Known, Pattern, Unpassed, packed
from grader.store.keys import environment
from grader.store.runs import RunSettings
from grader.suite.model import Suite
from grader.verdict import Verdict

_MAX_SUITES: Final = 64
_FASTEST_LEVEL: Final = 1
"""The zlib level: even the fastest one shrinks a suite to a tenth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The settings for all submissions of a run."""

    settings: RunSettings
    pseudonyms: Pseudonyms | None = None
    made_by: Callable[[HandIn], Made] | None = None
    """Makes the record of a hand-in, instead of the judge."""

    def called(self, student: str) -> str | None:
        """Return the pseudonym of `student`, or None in a run without pseudonyms."""
        return None if self.pseudonyms is None else self.pseudonyms.of(student)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submission for a worker."""

    index: int
    """Its index in the run."""
    suite: str
    """The hash of its suite."""
    hand_in: HandIn
    called: str | None = None
    """The student's name on the page, if it differs from the record."""
    failure: str | None = None
    """Why it cannot be graded, if that is our own fault."""
    known: Known | None = None
    """The packed record of the same files, in which only the student has to be replaced."""
    earlier: Earlier | None = None
    """The student's earlier record, which may only have to be rescored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    terms: Terms
    suites: Mapping[str, bytes]
    jobs: tuple[Job, ...]


def packed_suite(suite: Suite) -> bytes:
    """Return `suite`, pickled and compressed."""
    return zlib.compress(pickle.dumps(suite, protocol=pickle.HIGHEST_PROTOCOL), _FASTEST_LEVEL)


def packed_chunk(
    needs: Mapping[str, Any], terms: Terms, suite_of: Callable[[str], bytes], jobs: Sequence[Job]
) -> bytes:
    """Return the request for `grade_chunk`: `jobs` with the suites that they need.

    `suite_of` returns the packed suite for a hash. Workers whose environment differs from `needs`
    refuse the chunk.
    """
    chunk = _Chunk(
        terms=_terms_for(terms, jobs),
        suites={sha256: suite_of(sha256) for sha256 in dict.fromkeys(job.suite for job in jobs)},
        jobs=tuple(jobs),
    )
    # The head is JSON: a worker with other code may be unable to unpickle the rest.
    head = json.dumps(needs).encode("ascii")
    return head + b"\n" + pickle.dumps(chunk, protocol=pickle.HIGHEST_PROTOCOL)


def _terms_for(terms: Terms, jobs: Iterable[Job]) -> Terms:
    """Return `terms` with only the pseudonyms of `jobs`, without settings that workers ignore."""
    terms = replace(terms, settings=replace(terms.settings, sources=()))
    if terms.pseudonyms is None:
        return terms
    return replace(terms, pseudonyms=terms.pseudonyms.only(job.hand_in.student for job in jobs))


# In a worker

_THREAD: Final = threading.local()
"""The worker of each thread; its sandboxes last as long as the thread."""


def grade_chunk(data: bytes) -> bytes:
    """Grade the submissions in a packed chunk; return the packed outcomes.

    Engines run this function, so it takes and returns bytes and can be imported by name.
    """
    return reply(data, lambda body: {"outcomes": [plain(each) for each in _outcomes(body)]})


def reply(data: bytes, work: Callable[[bytes], dict[str, Any]]) -> bytes:
    """Return the worker's reply to packed `data`: the result of `work`, or why it refuses."""
    head, _, body = data.partition(b"\n")
    try:
        _require_environment(json.loads(head))
        result = work(body)
    except HostError as error:
        result = {"refused": [error.message, error.help, platform.node()]}
    return json.dumps(result).encode("ascii")


def _outcomes(body: bytes) -> list[Outcome]:
    chunk: _Chunk = pickle.loads(body)  # noqa: S301 - from this worker's own judge
    suites = {sha256: _unpacked_suite(data) for sha256, data in chunk.suites.items()}
    require_packages(each.suite for each in suites.values())
    return [_safe_outcome(job, suites[job.suite], chunk.terms) for job in chunk.jobs]


def _require_environment(needed: Mapping[str, Any]) -> None:
    """Raise `HostError` if records made here might differ from those made in `needed`."""
    present = environment(needed["packages"])
    if present["grader"] != needed["grader"]:
        raise HostError(
            "a worker runs another version of the grader",
            help="install the same version on all machines, and start their workers again",
        )
    actual, expected = ({**each, **each["packages"]} for each in (present, needed))
    for name in ("python", "machine", *needed["packages"]):
        if actual[name] != expected[name]:
            raise HostError(
                f"a worker has another {name}: {actual[name]}, here it is {expected[name]}",
                help="have the same Python and packages on all machines, as from one image",
            )


class _ThreadEnd:
    """An object whose finalizer runs when its thread ends."""


class _UnpackedSuite(NamedTuple):
    suite: Suite
    titles: Mapping[str, str]
    """The session titles of the overview, by case id."""
    pattern: Pattern

    @classmethod
    def of(cls, suite: Suite) -> _UnpackedSuite:
        """Return `suite` with its titles and pattern."""
        return cls(suite, session_titles(suite), Pattern.of(suite))


@lru_cache(_MAX_SUITES)
def _unpacked_suite(data: bytes) -> _UnpackedSuite:
    suite: Suite = pickle.loads(zlib.decompress(data))  # noqa: S301 - as above
    return _UnpackedSuite.of(suite)


def _worker_of_thread(least_level: int) -> Worker:
    """Return the worker of this thread, starting one if needed; it is closed with the thread."""
    if getattr(_THREAD, "least_level", None) != least_level:
        dismiss_worker()  # it served another run, with another isolation level
        _THREAD.least_level, _THREAD.worker = least_level, Worker(least_level)
        # Thread-locals have no hook for the end of their thread, but this object dies with them.
        _THREAD.end = _ThreadEnd()
        weakref.finalize(_THREAD.end, _THREAD.worker.close)
        # At its end a multiprocessing child runs multiprocessing's finalizers, not `atexit`'s.
        if (processes := sys.modules.get("multiprocessing.util")) is not None:
            # Without an object, `Finalize` requires a priority.
            processes.Finalize(None, dismiss_worker, exitpriority=10)
    worker: Worker = _THREAD.worker
    return worker


def dismiss_worker() -> None:
    """End the sandboxes of this thread."""
    vars(
        _THREAD
    ).clear()  # drops the last reference to `_ThreadEnd`, whose finalizer closes the worker


def _safe_outcome(job: Job, unpacked: _UnpackedSuite, terms: Terms) -> Outcome:
    """Return the outcome of `job`; a bug of ours costs one submission, not the chunk."""
    try:
        return _outcome(job, unpacked, terms)
    except HostError:
        raise
    except Exception:  # noqa: BLE001 - any other exception is our bug
        if job.known is not None or job.earlier is not None:  # the stored record is damaged
            return _safe_outcome(replace(job, known=None, earlier=None), unpacked, terms)
        return _outcome(replace(job, failure=traceback.format_exc()), unpacked, terms)


def _outcome(job: Job, unpacked: _UnpackedSuite, terms: Terms) -> Outcome:
    suite, student, settings = unpacked.suite, job.hand_in.student, terms.settings
    start_s = time.monotonic()
    if job.known is not None:
        record, is_lasting = unpacked.pattern.unpack(job.known.data), job.known.is_lasting
        record = replace(record, id=student, student=student)
    else:
        worker = _worker_of_thread(terms.settings.least_level)
        if job.failure is not None:
            unread = Submission(student=student, modules={}, data={}, raw={})
            record, is_lasting = worker.fault(suite, unread, job.failure)
        elif terms.made_by is not None:
            record, is_lasting = terms.made_by(job.hand_in)
        else:
            record, is_lasting = _rescored_record(job, suite, worker) or _graded_record(
                job, suite, worker
            )
    seconds = None if job.known is not None else round(time.monotonic() - start_s, 3)
    if terms.pseudonyms is not None:
        record = terms.pseudonyms.hide(record)
    shown = record if job.called is None else replace(record, student=job.called)
    return Outcome(
        index=job.index,
        student=record.student,
        needs=record.needed_python,
        graded=graded_from(record, unpacked.pattern, unpacked.titles, is_lasting=is_lasting),
        page=student_page(shown, shares=not settings.self_contained) if settings.pages else None,
        sheet=defence_sheet(shown) if settings.pages and settings.sheets else None,
        seconds=seconds,
    )


def _graded_record(job: Job, suite: Suite, worker: Worker) -> Made:
    submission = _understood(job, suite)
    record, is_lasting = worker.grade(suite, submission)
    record = worker.shortened(suite, submission, record)
    return Made(worker.repaired(suite, submission, record), is_lasting)


def _rescored_record(job: Job, suite: Suite, worker: Worker) -> Made | None:
    """Return the earlier record of `job`, rescored on `suite`, or None if it has to be graded.

    No submission is run, unless the first case to mend has changed.
    """
    if (earlier := job.earlier) is None or suite.repairs is not None:
        return None  # points decide which groups get a repair
    earlier_record = Pattern.from_bytes(earlier.pattern).unpack(earlier.data)
    record = rescored(earlier_record, suite, job.hand_in.lateness)
    if record is None:
        return None
    if first_case_to_mend(record) != first_case_to_mend(earlier_record):
        unshortened = replace(record, shortened=None)
        record = worker.shortened(suite, _understood(job, suite), unshortened)
    return Made(record, earlier.is_lasting)


def _understood(job: Job, suite: Suite) -> Submission:
    return understood(job.hand_in, suite.modules, suite.defines)


def graded_from(
    record: Record, pattern: Pattern, titles: Mapping[str, str], *, is_lasting: bool
) -> Graded:
    """Return `record` as a run stores it, packed relative to `pattern`.

    `titles` has the session titles of the overview, by case id.
    """
    return Graded(
        pattern=pattern.sha256,
        status=record.status,
        score=record.score,
        max_score=record.max_score,
        isolation=record.conditions.isolation,
        is_lasting=is_lasting,
        unpassed=tuple(
            Unpassed(case.id, case.verdict.value, case.points, case.max_points)
            for case in record.cases
            if case.verdict is not Verdict.PASSED
        ),
        data=pattern.pack(record),
        summary=packed(entry_json(record)),
        overview=packed(IndexEntry.of(record, "", sessions=titles).to_json()),
    )
