"""Requests of students for another look, read from a table or mails and stored in the run.

The writer of a request is not verified, so it decides nothing: a person reads it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from email.header import decode_header, make_header
from email.parser import BytesParser
from email.policy import compat32
from itertools import islice
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
    r"^[> ]*student:(?P<student>.*)\s+(?:[> ]*exercise:(?P<exercise>.*)\s+)?"
    r"(?:[> ]*part:(?P<part>.*)\s+)?(?P<request>[\s\S]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""The text that a link on the student's page starts; a reply may quote it."""
_MAILS: Final = frozenset({".txt", ".eml"})
_MAX_MAIL_BYTES: Final = 4_000_000
"""Enough for a screenshot or two."""
_MAX_PARTS: Final = 1_000
_NOTE: Final = "request"
_NO_ANSWER: Final = "no_answer"
_PART_CHARS: Final = 120
_SENDER_CHARS: Final = 200
_MAX_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRequest:
    """One student's request for another look."""

    exercise: str
    student: str
    part: str
    """The title or id of a part, or anything else that was written there."""
    words: str
    sender: str = ""
    """Who sent the mail, as its header says; "" if it came in a table or as text."""

    @property
    def name(self) -> tuple[str, str]:
        """The name of the entry it is about."""
        return self.exercise, self.student


Requests = Mapping[StudentRequest, str]
"""The time at which each was first read, in UTC."""


def noted(store: Store) -> dict[StudentRequest, str]:
    """Return the requests stored in the run, the oldest first."""
    return {StudentRequest(**facts): at for at, facts in store.notes(_NOTE)}


def note_requests(store: Store, path: Path) -> list[str]:
    """Store new requests from the table or mails at `path`; return why others are left out.

    Raises `UsageError` if nothing there can be read.
    """
    known, problems = noted(store), list[str]()
    for each in dict.fromkeys(_read(path, store.run.entries, problems)):
        if each not in known:
            store.note(_NOTE, **asdict(each))
    return problems


def note_no_answers(store: Store, uids: Sequence[str]) -> None:
    """Remember that these decisions answer no request: they were made for many, or to undo."""
    store.note(_NO_ANSWER, uids=list(uids))


def no_answers(store: Store) -> set[str]:
    """Return the ids of decisions that answer no request."""
    return {uid for _, facts in store.notes(_NO_ANSWER) for uid in facts["uids"]}


def unanswered(
    requests: Requests, stands: Iterable[Decision], non_answers: Container[str] = ()
) -> list[StudentRequest]:
    """Return the `requests` later than every decision that `stands`, except `non_answers`."""
    # ISO 8601 in UTC sorts by time.
    last_decided_at = max((each.at for each in stands if each.uid not in non_answers), default="")
    return [each for each, at in requests.items() if at > last_decided_at]


def _read(path: Path, entries: Sequence[RunEntry], problems: list[str]) -> Iterator[StudentRequest]:
    """Yield the requests at `path`; append to `problems` why others are left out."""
    try:
        rows = list(
            _mail_fields(path, problems) if path.is_dir() else _table_fields(_content(path))
        )
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error
    except ValueError as error:
        help_ = f"a table names columns in its first line: {', '.join(_FIELDS)}"
        text = f"{one_line(str(path))} has no requests: {one_line(str(error))}"
        raise UsageError(text, help=help_) from error
    for label, fields in rows:
        try:
            yield _request(label, fields, entries)
        except UsageError as error:
            problems.append(f"{error.message}" + (f" ({error.help})" if error.help else ""))


def _content(path: Path, max_bytes: int = MAX_TABLE_BYTES) -> bytes:
    if not path.exists():
        raise UsageError(
            f"there is no {one_line(str(path))}", help="name a CSV file, or a folder of saved mail"
        )
    if not path.is_file():
        raise ValueError("it is not a file")  # a pipe may never have a writer
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes} bytes")
    return data


def _mail_fields(folder: Path, problems: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the fields of each mail in `folder`, saved as `.eml` or as text."""
    # Sorted, as a folder lists its files in any order.
    for path in sorted(each for each in folder.iterdir() if each.suffix.lower() in _MAILS):
        name = one_line(path.name)
        try:
            data = _content(path, _MAX_MAIL_BYTES)
            is_text = path.suffix.lower() == ".txt"
            text, sender = (decoded(data).text, "") if is_text else _mail(data)
        except (OSError, ValueError) as error:
            problems.append(f"{name}: {one_line(str(error), 200)}")
            continue
        if (found := _MAIL.search(text)) is None:
            problems.append(f"{name}: no line of its text begins with `student:`")
            continue
        fields = {field: (text or "").strip("> \r\n") for field, text in found.groupdict().items()}
        yield name, {**fields, "sender": sender}


def _mail(data: bytes) -> tuple[str, str]:
    """Return the plain text and the sender of a raw mail; raises `ValueError` if it has no text."""
    try:
        # The newer policies parse headers by recursion, and in quadratic time.
        mail = BytesParser(policy=compat32).parsebytes(data)
        parts = islice(mail.walk(), _MAX_PARTS)
        text_part = next((e for e in parts if e.get_content_type() == "text/plain"), None)
    except RecursionError:
        raise ValueError("its parts are nested too deeply") from None
    content = None if text_part is None else text_part.get_payload(decode=True)
    if text_part is None or not isinstance(content, bytes):
        raise ValueError("it has no plain text: save it as .txt")
    try:
        text = content.decode(text_part.get_content_charset("utf-8"), "replace")
    except LookupError:  # it names an encoding that does not exist
        text = content.decode("utf-8", "replace")
    return text.replace("\r\n", "\n"), _header(str(mail.get("From", "")))


def _header(raw: str) -> str:
    try:
        return str(make_header(decode_header(raw)))
    except (LookupError, ValueError):
        return raw


def _table_fields(data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table, without columns that forms add."""
    header, *rows = read_table(data) or [[]]
    columns = [name.lower() for name in header]
    if missing := _NEEDED.difference(columns):
        raise ValueError(f"there is no column {' and no column '.join(sorted(missing))}")
    for number, row in enumerate(rows, start=1):
        # Tables leave out empty cells at the end of a row.
        fields = dict(zip(columns, row, strict=False))
        yield f"request {number}", {field: fields.get(field, "") for field in _FIELDS}


def _request(label: str, fields: Mapping[str, str], entries: Sequence[RunEntry]) -> StudentRequest:
    if not fields["student"]:
        raise UsageError(f"{label} names no student")
    try:
        entry = find_entry(
            entries_of_exercise(entries, fields["exercise"] or None), fields["student"]
        )
    except UsageError as error:
        raise UsageError(f"{label}: {error.message}", help=error.help) from error
    return StudentRequest(
        exercise=entry.exercise,
        student=entry.student,
        part=one_line(fields["part"], _PART_CHARS),
        words=shown_text(fields["request"].replace("\r\n", "\n"), _MAX_CHARS),
        sender=one_line(fields.get("sender", ""), _SENDER_CHARS),
    )
