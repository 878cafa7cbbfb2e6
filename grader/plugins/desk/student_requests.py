"""Students' requests for another look, read from a table or emails and stored in the run.

Nobody verifies who wrote a request, so a request decides nothing by itself: a person reads it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesParser
from email.policy import compat32
from itertools import islice
from pathlib import Path
from typing import Final

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.errors import UsageError
from grader.intake.tables import MAX_TABLE_BYTES, decode_text, read_table
from grader.judging.deciding import Decision
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line, safe_text

_FIELDS: Final = ("student", "exercise", "part", "request")
_REQUIRED_FIELDS: Final = frozenset({"student", "request"})
_COLUMNS_HELP: Final = (
    "the first line must contain `student` and `request`, and can contain `exercise` and `part`"
)
_MAIL_FORM: Final = re.compile(
    r"^[> ]*student:(?P<student>.*)\s+(?:[> ]*exercise:(?P<exercise>.*)\s+)?"
    r"(?:[> ]*part:(?P<part>.*)\s+)?(?P<request>[\s\S]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches the text that a link on the student's page puts into an email, even if it is quoted."""
_MAIL_SUFFIXES: Final = frozenset({".txt", ".eml"})
_MAX_MAIL_BYTES: Final = 4_000_000
"""Enough for an email with a screenshot or two."""
_MAX_MAIL_PARTS: Final = 1_000
"""The number of MIME parts among which the text is searched."""
_REQUEST_EVENT: Final = "request"
_NON_ANSWER_EVENT: Final = "no_answer"
_PART_CHARS: Final = 120
_SENDER_CHARS: Final = 200
_REQUEST_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRequest:
    """One student's request for another look."""

    exercise: str
    student: str
    part: str
    """The title or id of a part, or whatever the student wrote instead."""
    words: str
    sender: str = ""
    """The sender in the email's header, or "" for a request from a table or a text file."""

    @property
    def identity(self) -> tuple[str, str]:
        """The identity of the entry that the request is about."""
        return self.exercise, self.student


Requests = Mapping[StudentRequest, str]
"""The time in UTC at which each request was first read, by request."""


def stored_requests(store: Store) -> dict[StudentRequest, str]:
    """Return the requests in the run, oldest first, with the time at which each was first read."""
    return {StudentRequest(**facts): at for at, facts in store.events(_REQUEST_EVENT)}


def note_requests(store: Store, path: Path) -> list[str]:
    """Store the new requests in the table or folder of emails at `path`.

    Return the reasons why some requests were left out. Raises `UsageError` if `path` cannot be read
    or is not a table of requests.
    """
    # Known requests keep the time of their first reading, so that later decisions still answer
    # them.
    known, problems = stored_requests(store), list[str]()
    for request in dict.fromkeys(_read(path, store.run.entries, problems)):
        if request not in known:
            store.record_event(_REQUEST_EVENT, **asdict(request))
    return problems


def store_non_answers(store: Store, uids: Sequence[str]) -> None:
    """Record the ids of decisions that answer no request.

    Such decisions are for many students, are notes for staff, or undo others.
    """
    store.record_event(_NON_ANSWER_EVENT, uids=list(uids))


def non_answers(store: Store) -> set[str]:
    """Return the ids of decisions that answer no request."""
    return {uid for _, facts in store.events(_NON_ANSWER_EVENT) for uid in facts["uids"]}


def unanswered(
    requests: Requests, decisions: Iterable[Decision], non_answers: Container[str] = ()
) -> list[StudentRequest]:
    """Return the `requests` that are later than all `decisions`, not counting `non_answers`.

    `decisions` must be in force. `non_answers` has the ids of decisions that answer no request.
    """
    answers = (decision for decision in decisions if decision.uid not in non_answers)
    # Times in ISO 8601 and UTC sort chronologically.
    last_answer_at = max((answer.at for answer in answers), default="")
    return [request for request, at in requests.items() if at > last_answer_at]


def _read(path: Path, entries: Sequence[RunEntry], problems: list[str]) -> Iterator[StudentRequest]:
    """Yield the requests at `path`, and append to `problems` why any others are left out.

    Raises `UsageError` if `path` cannot be read or is not a table of requests.
    """
    help_text = "give a CSV file, or a folder of saved emails"
    # Here and not in `_content`: a dangling link among the emails leaves out only that email.
    if not path.exists():
        raise UsageError(f"{one_line(str(path))} does not exist", help=help_text)
    try:
        if path.is_dir():
            rows = list(_mail_fields(path, problems))
        else:
            table, help_text = _content(path), _COLUMNS_HELP
            rows = list(_table_fields(table))
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}",
            help="check the path and its permissions",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"cannot read requests from {one_line(str(path))}: {one_line(str(error))}",
            help=help_text,
        ) from error
    for label, fields in rows:
        try:
            yield _as_request(label, fields, entries)
        except UsageError as error:
            problems.append(f"{error.message}" + (f" ({error.help})" if error.help else ""))


def _content(path: Path, max_bytes: int = MAX_TABLE_BYTES) -> bytes:
    """Return the content of the file at `path`.

    Raises `ValueError` if it is not a file or is larger than `max_bytes`.
    """
    if not path.is_file():
        raise ValueError("it is not a file")  # reading a pipe can block forever
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes:,} bytes")
    return data


def _mail_fields(folder: Path, problems: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the file name and the fields of each email in `folder`, saved as `.eml` or `.txt`.

    Append to `problems` why any other emails are left out.
    """
    # Sorted, because the order in which a folder lists its files is arbitrary.
    for path in sorted(path for path in folder.iterdir() if path.suffix.lower() in _MAIL_SUFFIXES):
        name = one_line(path.name)
        try:
            data = _content(path, _MAX_MAIL_BYTES)
            is_text = path.suffix.lower() == ".txt"
            text, sender = (decode_text(data).text, "") if is_text else _mail(data)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else one_line(str(error))
            problems.append(f"{name}: {reason}")
            continue
        if (match := _MAIL_FORM.search(text)) is None:
            problems.append(
                f"{name}: no line of its text begins with `student:`; add the line `student: ID`"
            )
            continue
        fields = {field: (text or "").strip("> \r\n") for field, text in match.groupdict().items()}
        yield name, {**fields, "sender": sender}


def _mail(data: bytes) -> tuple[str, str]:
    """Return the plain text and the sender of a raw email.

    Raises `ValueError` if it has no plain text, or if its parts are nested too deeply.
    """
    try:
        # Newer policies parse headers recursively and in quadratic time: an email could abuse it.
        mail = BytesParser(policy=compat32).parsebytes(data)
        parts = islice(mail.walk(), _MAX_MAIL_PARTS)
        text_part = next((part for part in parts if part.get_content_type() == "text/plain"), None)
    except RecursionError:
        raise ValueError("its parts are nested too deeply") from None
    content = None if text_part is None else text_part.get_payload(decode=True)
    if text_part is None or not isinstance(content, bytes):
        raise ValueError("it has no plain text: save it as .txt")
    try:
        text = content.decode(text_part.get_content_charset("utf-8"), "replace")
    except LookupError:  # the email names an encoding that does not exist
        text = content.decode("utf-8", "replace")
    return text.replace("\r\n", "\n"), _header(str(mail.get("From", "")))


def _header(raw: str) -> str:
    """Return the email header `raw` decoded, or unchanged if it is malformed."""
    try:
        return str(make_header(decode_header(raw)))
    except (LookupError, ValueError, HeaderParseError):
        return raw


def _table_fields(data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a label and the fields of each row. Other columns, which web forms add, are ignored.

    Raises `ValueError` if a required column is missing.
    """
    header, *rows = read_table(data) or [[]]
    columns = [name.lower() for name in header]
    if missing := _REQUIRED_FIELDS.difference(columns):
        raise ValueError(f"there is no column {' and no column '.join(sorted(missing))}")
    for number, row in enumerate(rows, start=1):
        # Not strict, because rows can lack the empty cells at their end.
        fields = dict(zip(columns, row, strict=False))
        yield f"request {number}", {field: fields.get(field, "") for field in _FIELDS}


def _as_request(
    label: str, fields: Mapping[str, str], entries: Sequence[RunEntry]
) -> StudentRequest:
    """Return the request in `fields`.

    Raises `UsageError`, beginning with `label`, if it does not name exactly one of `entries`.
    """
    if not fields["student"]:
        raise UsageError(f"{label}: the student is missing", help="fill in `student`")
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
        words=safe_text(fields["request"].replace("\r\n", "\n"), _REQUEST_CHARS),
        sender=one_line(fields.get("sender", ""), _SENDER_CHARS),
    )
