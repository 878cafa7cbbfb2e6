"""Packs the requests that are sent to local or remote workers, and grades them there.

A *chunk* contains a few submissions and the suites that they are graded on; the reply has an
*outcome* for each submission. A worker trusts its sender, so a chunk is pickled. The reply is not
trusted: it is JSON whose structure is checked, and it is never unpickled.
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
from grader.intake.submissions import HandIn, build_submission
from grader.judging.record import Record
from grader.judging.rescoring import rescore
from grader.reporting.index_page import IndexEntry
from grader.reporting.mending import first_case_to_mend
from grader.reporting.output import session_titles
from grader.reporting.pseudonyms import Pseudonyms
from grader.reporting.results import entry_json
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.run.needs import require_packages
from grader.run.outcomes import Outcome, outcome_data
from grader.run.worker import GradedRecord, Worker
from grader.store.graded import EarlierRecord, Graded, KnownRecord, Pattern, UnpassedCase, compress
from grader.store.keys import environment
from grader.store.runs import RunSettings
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_MAX_SUITES: Final = 64
_FASTEST_LEVEL: Final = 1
"""The zlib level; even the fastest level shrinks a suite to a tenth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The settings for all submissions of a run."""

    settings: RunSettings
    pseudonyms: Pseudonyms | None = None
    make_record: Callable[[HandIn], GradedRecord] | None = None
    """Makes the record of a hand-in in place of the judge, if given."""

    def pseudonym_of(self, student: str) -> str | None:
        """Return the pseudonym of `student`, or None if the run is not anonymous."""
        return None if self.pseudonyms is None else self.pseudonyms.pseudonym_of(student)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submission to be graded by a worker."""

    index: int
    """The index of the submission in the run."""
    suite: str
    """The hash of its suite."""
    hand_in: HandIn
    display_name: str | None = None
    """The student's name on the page, if it differs from that in the record."""
    failure: str | None = None
    """Why a failure of ours prevents it from being graded, or None."""
    known_record: KnownRecord | None = None
    """A packed record of the same files, in which only the student has to be replaced."""
    earlier_record: EarlierRecord | None = None
    """The student's earlier record, which might only need to be rescored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    """The body of a request: jobs, and the terms and suites that they need."""

    terms: Terms
    suites: Mapping[str, bytes]
    """The packed suites, keyed by hash."""
    jobs: tuple[Job, ...]


def pack_suite(suite: Suite) -> bytes:
    """Return `suite` pickled and compressed, to be sent to workers."""
    return zlib.compress(pickle.dumps(suite, protocol=pickle.HIGHEST_PROTOCOL), _FASTEST_LEVEL)


def pack_chunk(
    needs: Mapping[str, Any], terms: Terms, get_suite: Callable[[str], bytes], jobs: Sequence[Job]
) -> bytes:
    """Return the request for `grade_chunk`, with `jobs` and the suites that they need.

    `get_suite` returns the packed suite with a given hash. Workers whose environment differs from
    `needs` refuse the chunk.
    """
    chunk = _Chunk(
        terms=_terms_for(terms, jobs),
        suites={sha256: get_suite(sha256) for sha256 in dict.fromkeys(job.suite for job in jobs)},
        jobs=tuple(jobs),
    )
    # The header is JSON: a worker with different code might be unable to unpickle what follows.
    header = json.dumps(needs).encode("ascii")
    return header + b"\n" + pickle.dumps(chunk, protocol=pickle.HIGHEST_PROTOCOL)


def _terms_for(terms: Terms, jobs: Iterable[Job]) -> Terms:
    """Return `terms` with only what workers need for `jobs`: no sources, and few pseudonyms."""
    terms = replace(terms, settings=replace(terms.settings, sources=()))
    if terms.pseudonyms is None:
        return terms
    return replace(terms, pseudonyms=terms.pseudonyms.only(job.hand_in.student for job in jobs))


# The rest of this module runs in a worker.

_THREAD: Final = threading.local()
"""The worker of the current thread; its sandboxes live as long as the thread."""


def grade_chunk(data: bytes) -> bytes:
    """Grade the submissions in a packed chunk, and return the packed outcomes.

    Engines run this function in their workers, so its argument and result are bytes, and it can be
    imported by name.
    """
    return answer_request(
        data, lambda body: {"outcomes": [outcome_data(outcome) for outcome in _outcomes(body)]}
    )


def answer_request(data: bytes, work: Callable[[bytes], dict[str, Any]]) -> bytes:
    """Return the worker's reply to the request `data`, as JSON.

    The reply contains the result of `work` on the body of the request, or why the worker refuses
    it, for instance because its environment differs from that in the header.
    """
    header, _, body = data.partition(b"\n")
    try:
        _require_environment(json.loads(header))
        result = work(body)
    except HostError as error:
        result = {"refused": [error.message, error.help, platform.node()]}
    return json.dumps(result).encode("ascii")


def _outcomes(body: bytes) -> list[Outcome]:
    """Return the outcomes of the pickled chunk `body`; raise `HostError` if it cannot be graded."""
    chunk: _Chunk = pickle.loads(body)  # noqa: S301 - sent by this worker's own judge
    suites = {sha256: _unpacked_suite(data) for sha256, data in chunk.suites.items()}
    require_packages(unpacked.suite for unpacked in suites.values())
    return [_safe_outcome(job, suites[job.suite], chunk.terms) for job in chunk.jobs]


def _require_environment(needs: Mapping[str, Any]) -> None:
    """Raise `HostError` if records made here might differ from those of the environment `needs`."""
    present = environment(needs["packages"])
    if present["grader"] != needs["grader"]:
        raise HostError(
            "a worker runs a different version of the grader",
            help="install the same version on all machines, then restart their workers",
        )
    if present["machine"] != needs["machine"]:
        raise HostError(
            "a worker has a different kind of processor:"
            f" {present['machine']} instead of {needs['machine']}",
            help="use only workers whose processor is of the same kind as this machine's",
        )
    actual, expected = (
        {"Python": facts["python"], **facts["packages"]} for facts in (present, needs)
    )
    for name, version in expected.items():
        if actual[name] != version:
            found = one_line(str(actual[name] or "an unknown one"))
            raise HostError(
                f"a worker has a different version of {name}:"
                f" {found} instead of {one_line(str(version or 'an unknown one'))}",
                help="install the same Python and packages on all machines, for instance from one"
                " image",
            )


class _ThreadEnd:
    """Stored in `_THREAD` so that its finalizer runs when the thread ends."""


class _UnpackedSuite(NamedTuple):
    """A suite, with data that is made once for all submissions graded on it."""

    suite: Suite
    titles: Mapping[str, str]
    """The session titles for the overview, keyed by case id."""
    pattern: Pattern

    @classmethod
    def from_suite(cls, suite: Suite) -> _UnpackedSuite:
        """Return `suite` with its session titles and pattern."""
        return cls(suite, session_titles(suite), Pattern.from_suite(suite))


@lru_cache(_MAX_SUITES)  # later chunks contain the same suites
def _unpacked_suite(data: bytes) -> _UnpackedSuite:
    suite: Suite = pickle.loads(zlib.decompress(data))  # noqa: S301 - sent by this worker's own judge
    return _UnpackedSuite.from_suite(suite)


def _worker_of_thread(least_level: int) -> Worker:
    """Return the worker of this thread, which is closed when the thread ends.

    A worker for another `least_level` is closed and replaced.
    """
    if getattr(_THREAD, "least_level", None) != least_level:
        close_thread_worker()  # the worker of another run, with another isolation level
        _THREAD.least_level, _THREAD.worker = least_level, Worker(least_level)
        # Thread-locals have no hook for the end of a thread, but their objects are finalized then.
        _THREAD.end = _ThreadEnd()
        weakref.finalize(_THREAD.end, _THREAD.worker.close)
        # A multiprocessing child that ends runs multiprocessing's finalizers, but not `atexit`'s.
        if (processes := sys.modules.get("multiprocessing.util")) is not None:
            # `Finalize` requires a priority if it gets no object.
            processes.Finalize(None, close_thread_worker, exitpriority=10)
    worker: Worker = _THREAD.worker
    return worker


def close_thread_worker() -> None:
    """Close the worker of this thread, if any, which also closes its sandboxes."""
    # This drops the last reference to the `_ThreadEnd`, whose finalizer closes the worker.
    vars(_THREAD).clear()


def _safe_outcome(job: Job, unpacked: _UnpackedSuite, terms: Terms) -> Outcome:
    """Return the outcome of `job`, which is a fault if a bug of ours raises an exception.

    So a bug affects only one submission of a chunk. If a stored record cannot be used, the
    submission is graded instead. Raises `HostError` if this machine cannot grade it.
    """
    try:
        return _outcome(job, unpacked, terms)
    except HostError:
        raise
    except Exception:  # noqa: BLE001 - any other exception is our bug
        if (
            job.known_record is not None or job.earlier_record is not None
        ):  # the stored record is damaged
            return _safe_outcome(
                replace(job, known_record=None, earlier_record=None), unpacked, terms
            )
        return _outcome(replace(job, failure=traceback.format_exc()), unpacked, terms)


def _outcome(job: Job, unpacked: _UnpackedSuite, terms: Terms) -> Outcome:
    """Return the outcome of `job`, which is graded, rescored, or adapted from a known record.

    A job with a failure of ours has a fault as its outcome.

    Raises `HostError` if this machine cannot grade it.
    """
    suite, student, settings = unpacked.suite, job.hand_in.student, terms.settings
    start_s = time.monotonic()
    if job.known_record is not None:
        record, is_lasting = (
            unpacked.pattern.unpack(job.known_record.data),
            job.known_record.is_lasting,
        )
        record = replace(record, id=student, student=student)
    else:
        worker = _worker_of_thread(terms.settings.least_level)
        if job.failure is not None:
            empty_submission = Submission(student=student, modules={}, data={}, raw={})
            record, is_lasting = worker.fault(suite, empty_submission, job.failure)
        elif terms.make_record is not None:
            record, is_lasting = terms.make_record(job.hand_in)
        else:
            record, is_lasting = _rescored_record(job, suite, worker) or _graded_record(
                job, suite, worker
            )
    # For a known record, this would be the duration of copying, not of grading.
    seconds = None if job.known_record is not None else round(time.monotonic() - start_s, 3)
    if terms.pseudonyms is not None:
        record = terms.pseudonyms.hide(record)
    displayed = record if job.display_name is None else replace(record, student=job.display_name)
    return Outcome(
        index=job.index,
        student=record.student,
        needs=record.needed_python,
        graded=to_graded(record, unpacked.pattern, unpacked.titles, is_lasting=is_lasting),
        page=student_page(displayed, shares=not settings.self_contained)
        if settings.pages
        else None,
        sheet=defence_sheet(displayed) if settings.pages and settings.sheets else None,
        seconds=seconds,
    )


def _graded_record(job: Job, suite: Suite, worker: Worker) -> GradedRecord:
    """Return the record of `job`, graded by `worker`, with a shortened session and repairs."""
    submission = _submission_of(job, suite)
    record, is_lasting = worker.grade(suite, submission)
    record = worker.shorten_first_failure(suite, submission, record)
    return GradedRecord(worker.add_repairs(suite, submission, record), is_lasting)


def _rescored_record(job: Job, suite: Suite, worker: Worker) -> GradedRecord | None:
    """Return the earlier record of `job` rescored on `suite`, or None if it has to be graded.

    The submission is run only if the first case to mend has changed: then the session of that case
    is shortened.
    """
    # With repairs, rescoring is not enough, because the points determine which groups get a repair.
    if (earlier := job.earlier_record) is None or suite.repairs is not None:
        return None
    earlier_record = Pattern.from_bytes(earlier.pattern).unpack(earlier.data)
    record = rescore(earlier_record, suite, job.hand_in.lateness)
    if record is None:
        return None
    if first_case_to_mend(record) != first_case_to_mend(earlier_record):
        unshortened = replace(record, shortened=None)
        record = worker.shorten_first_failure(suite, _submission_of(job, suite), unshortened)
    return GradedRecord(record, earlier.is_lasting)


def _submission_of(job: Job, suite: Suite) -> Submission:
    return build_submission(job.hand_in, suite.modules, suite.defines)


def to_graded(
    record: Record, pattern: Pattern, titles: Mapping[str, str], *, is_lasting: bool
) -> Graded:
    """Return the data about `record` that a run stores, packed relative to `pattern`.

    `titles` has the session titles for the overview, keyed by case id.
    """
    return Graded(
        pattern=pattern.sha256,
        status=record.status,
        score=record.score,
        max_score=record.max_score,
        isolation=record.conditions.isolation,
        is_lasting=is_lasting,
        unpassed=tuple(
            UnpassedCase(case.id, case.verdict.value, case.points, case.max_points)
            for case in record.cases
            if case.verdict is not Verdict.PASSED
        ),
        data=pattern.pack(record),
        summary=compress(entry_json(record)),
        overview=compress(IndexEntry.from_record(record, "", sessions=titles).to_json()),
    )
