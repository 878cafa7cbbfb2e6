"""Reads records from a store, and refuses those that are damaged or belong to other students.

A store might have been written by another version, come from another machine, or been edited.
A record that this module returns can be reported without further checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Final

from grader.errors import RecordError
from grader.judging.record import CaseResult, OtherFormat, Record
from grader.messages import Message
from grader.reporting.index_entry import IndexEntry
from grader.reporting.wording import Locale, catalog, format_message
from grader.store.graded import Graded, Pattern, decompress
from grader.store.runs import GradedEntry, RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line

_ENTRY_START: Final = b'  {\n   "id": '
_ENTRY_END: Final = b"\n  }"
"""How an entry in `results.json` starts and ends; other damage would prevent unpacking."""
GRADE_AGAIN: Final = "grade again with --fresh"
"""The help for a record that is refused."""
_OTHER_FORMAT_HELP: Final = (
    "run the command that graded this run again, without --fresh: the records are made again, and"
    " decisions are kept"
)
"""The help for a record in the format of another version."""


def load_record(store: Store, entry: RunEntry, graded: Graded | GradedEntry) -> Record:
    """Return the record of `entry` from `store`; raise `RecordError` as `read_record` does."""
    data = store.data(graded.record_id) if isinstance(graded, GradedEntry) else graded.data
    return read_record(entry, data, store.pattern(graded.pattern))


def read_record(entry: RunEntry, data: bytes, pattern: bytes) -> Record:
    """Return the record of `entry` from the packed `data` and `pattern`.

    Raises `RecordError` if the record is damaged, belongs to another student or exercise, or
    contains a message for which this version has no sentence.
    """
    with record_errors(entry):
        record = Pattern.from_bytes(pattern).unpack(data)
        if (record.exercise, record.student) != entry.identity:
            raise ValueError("it belongs to another student or exercise")
        # Checked before anything is written, because such a message would end a report halfway.
        for message in _messages(record):
            _check_sentence(message, record.language)
        return record


def read_summary(entry: RunEntry, graded: Graded) -> bytes:
    """Return the entry of `results.json` about `entry`; raise `RecordError` if it is damaged."""
    with record_errors(entry):
        summary = decompress(graded.summary)
        if not (summary.startswith(_ENTRY_START) and summary.endswith(_ENTRY_END)):
            raise ValueError("its entry for `results.json` is malformed")
        return summary


def read_overview(entry: RunEntry, graded: Graded) -> IndexEntry:
    """Return the row of the overview for `entry`; raise `RecordError` if it is damaged."""
    with record_errors(entry):
        return IndexEntry.from_json(decompress(graded.overview), entry.page)


@contextmanager
def record_errors(entry: RunEntry) -> Iterator[None]:
    """Convert an error raised while reading the record of `entry` to a `RecordError` with help."""
    try:
        yield
    # RecursionError: the JSON is nested too deeply for the decoder.
    except (ValueError, RecursionError) as error:
        is_other_format = isinstance(error, OtherFormat)
        raise RecordError(
            f"the record of {one_line(entry.display_name)} ({entry.exercise}) cannot be read:"
            f" {one_line(str(error), 300)}",
            help=_OTHER_FORMAT_HELP if is_other_format else GRADE_AGAIN,
        ) from error


def _messages(record: Record) -> Iterator[Message]:
    """Yield all messages in `record`."""
    yield from (*record.remarks, *record.staff_remarks)
    for case in _cases(record):
        yield from case.explanation
    for rule in record.rules:
        yield from (rule.demand, *rule.evidence)
    yield from (advice.said for advice in record.advice)


def _cases(record: Record) -> Iterator[CaseResult]:
    """Yield all cases in `record`, including counterexamples and the shortened case."""
    further_cases = (record.shortened, *(group.counterexample for group in record.groups))
    yield from chain(record.cases, filter(None, further_cases))


def _check_sentence(message: Message, language: str) -> None:
    """Raise `ValueError` if `message` has no sentence in `language`, or lacks a parameter."""
    try:
        format_message(message, language)
    except KeyError as missing:
        if message.key not in catalog(Locale.for_language(language).language):
            raise ValueError(f"this version has no sentence {message.key!r}") from None
        raise ValueError(f"its message {message.key!r} lacks the parameter {missing}") from None
