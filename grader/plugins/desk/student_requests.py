"""Requests of students for another look, read from a table or mails and stored in the run.

Nobody knows who wrote a request, so it decides nothing: a person reads it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Final

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.errors import UsageError
from grader.intake.tables import MAX_TABLE_BYTES, decoded, read_table
from grader.judging.deciding import Decision
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line, shown_text

_FIELDS: Final = ("student", "exercise", "part", "request")
_NEEDED: Final = frozenset({"student", "request"})
_MAIL: Final = re.compile(
    r"^student:(?P<student>.*)\s+(?:exercise:(?P<exercise>.*)\s+)?(?:part:(?P<part>.*)\s+)?"
    r"(?P<request>[\s\S]*)",
    re.MULTILINE,
)
"""The text that a link on the student's page starts."""
_MAILS: Final = frozenset({".txt", ".eml"})
_NOTE: Final = "request"
_PART_CHARS: Final = 120
_MAX_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRequest:
    """One student's request for another look."""

    exercise: str
    student: str
    part: str
    """The title or id of a part, or anything else that was written there."""
    words: str

    @property
    def name(self) -> tuple[str, str]:
        """The name of the entry it is about."""
        return self.exercise, self.student


Requests = Mapping[StudentRequest, str]
"""The time at which each was first read, in UTC."""


def noted(store: Store) -> dict[StudentRequest, str]:
    """Return the requests stored in the run, the oldest first."""
    return {StudentRequest(**facts): at for at, facts in store.notes(_NOTE)}


def note_requests(store: Store, path: Path) -> None:
    """Store new requests from the table or mails at `path`; raises `UsageError` if any is wrong."""
    known = noted(store)
    for each in dict.fromkeys(_read(path, store.run.entries)):
        if each not in known:
            store.note(_NOTE, **asdict(each))


def unanswered(requests: Requests, stands: Collection[Decision]) -> list[StudentRequest]:
    """Return the `requests` that are later than every decision that `stands`."""
    last = max((each.at for each in stands), default="")
    return [each for each, at in requests.items() if at > last]


def _read(path: Path, entries: Sequence[RunEntry]) -> list[StudentRequest]:
    try:
        told = _texts(path) if path.is_dir() else _lines(_content(path))
        return [_request(where, fields, entries) for where, fields in told]
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error
    except ValueError as error:
        help_ = f"a table names columns in its first line: {', '.join(_FIELDS)}"
        said = f"{one_line(str(path))} has no requests: {one_line(str(error))}"
        raise UsageError(said, help=help_) from error


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_TABLE_BYTES + 1)
    if len(data) > MAX_TABLE_BYTES:
        raise ValueError(f"a file is larger than {MAX_TABLE_BYTES} bytes")
    return data


def _texts(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the fields of each mail in `folder`, saved as `.eml` or as text."""
    for path in sorted(each for each in folder.iterdir() if each.suffix.lower() in _MAILS):
        name = one_line(path.name)
        data = _content(path)
        text = decoded(data).text if path.suffix.lower() == ".txt" else _text_of_mail(data)
        found = _MAIL.search(text)
        if found is None:
            raise ValueError(f"no line of {name} begins with `student:`")
        yield name, {field: (text or "").strip() for field, text in found.groupdict().items()}


def _text_of_mail(data: bytes) -> str:
    """Return the plain text of a raw mail, "" if it has none."""
    mail = BytesParser(policy=default).parsebytes(data)
    body = mail.get_body(preferencelist=("plain",))
    try:
        text = "" if body is None else body.get_content()
    except (LookupError, UnicodeError):  # it names an encoding that is none
        return ""
    return str(text)


def _lines(data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table, without columns that forms add."""
    header, *rows = read_table(data) or [[]]
    columns = [name.lower() for name in header]
    if missing := _NEEDED.difference(columns):
        raise ValueError(f"there is no column {' and no column '.join(sorted(missing))}")
    for number, row in enumerate(rows, start=1):
        told = dict(zip(columns, row, strict=False))
        yield f"request {number}", {field: told.get(field, "") for field in _FIELDS}


def _request(where: str, told: Mapping[str, str], entries: Sequence[RunEntry]) -> StudentRequest:
    if not told["student"]:
        raise UsageError(f"{where} names no student")
    try:
        entry = find_entry(entries_of_exercise(entries, told["exercise"] or None), told["student"])
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", help=error.help) from error
    return StudentRequest(
        exercise=entry.exercise,
        student=entry.student,
        part=one_line(told["part"], _PART_CHARS),
        words=shown_text(told["request"].replace("\r\n", "\n"), _MAX_CHARS),
    )
