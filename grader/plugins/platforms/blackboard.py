"""Downloads from Blackboard sites such as Toledo: `<assignment>_<user>_attempt_<time>_<file>`.

The word for an attempt is in the teacher's language. Assignment names can contain `_`, so names are
read from the right. Beside the files of an attempt is a receipt, `..._<time>.txt`, with the
student's name and the original names of the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, group_fits, read_text
from grader.intake.people import Attempt, Person
from grader.plugins.platforms.dates import TIME, find_utc_offset, parse_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NamingScheme, Pages, Platform, Reading, safe_file_part
from grader.values.foreign_text import one_line

_REST: Final = r"(?P<word>[^\W\d_]+)_(?P<time>\d{4}(?:-\d\d){5})(?P<rest>_.+|\.txt)?"
# The names of downloads themselves start with `gradebook_`.
_NAME: Final = re.compile(rf"(?!gradebook_)(?P<head>.+?)_{_REST}", re.DOTALL)
_STAMP: Final = re.compile(r"_[^\W\d_]+_\d{4}(?:-\d\d){5}")
_RECEIPT_NAME: Final = re.compile(rf"(?P<head>.+){_STAMP.pattern}\.txt", re.DOTALL)
_LANGUAGES: Final = {
    "attempt": "en",
    "poging": "nl",
    "intento": "es",
    "tentative": "fr",
    "versuch": "de",
}
_TITLE: Final = "Blackboard"
_RECEIPT_SUFFIX: Final = ".txt"
_MAX_RECEIPT_BYTES: Final = 256 * 1024
_DATE: Final = re.compile(TIME, re.IGNORECASE)
_DATE_LINE: Final = 2
"""The index of the line with the date, after the lines for student and assignment."""
_MAX_LISTED: Final = 10
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_NAME_AND_USER: Final = re.compile(r"(?P<name>.*?)\s*\((?P<user>[^()]+)\)")


@dataclass(slots=True)
class _Receipt:
    """The data on the receipt of an attempt."""

    name: str | None = None
    user: str | None = None
    submitted: datetime | None = None
    """The time of submission in the course's time zone; file names might give the start time."""
    utc_offset: timedelta | None = None
    """The offset of `submitted` from UTC, which differs in summer."""
    originals: dict[str, str] = field(default_factory=dict)
    """The original names of the files, keyed by their names in the download."""


def _read(fits: Sequence[Fit]) -> Reading:
    """Read the attempts of each student; ambiguous names are resolved first."""
    fitting = list(_resolve_ambiguous(fits))
    words = Counter(fit.match["word"].lower() for fit in fitting)
    language = _LANGUAGES.get(words.most_common(1)[0][0])
    reading = Reading(title=f"{_TITLE} ({language})" if language else _TITLE)
    for head, student_fits in group_fits(fitting, lambda fit: fit.match["head"]).items():
        attempts = list(_build_attempts(head, student_fits))
        person = attempts[0][0].person
        reading.owners += [(fit, person) for fit in student_fits]
        reading.attempts += _number_attempts(attempts)
    reading.guesses += _guess_several_assignments(fitting, reading.attempts)
    return reading


def _resolve_ambiguous(fits: Sequence[Fit]) -> Iterator[Fit]:
    """Yield `fits`, with ambiguous names split at the same position as their receipt.

    A name is ambiguous if the naming scheme matches it twice, because an assignment or a student's
    file might be named like a download.
    """
    receipts = {
        part.removesuffix(_RECEIPT_SUFFIX): match
        for fit in fits
        if (match := _RECEIPT_NAME.fullmatch(part := fit.match[0])) and not fit.parts_below
    }
    for fit in fits:
        part, ends = fit.match[0], [stamp.end() for stamp in _STAMP.finditer(fit.match[0])]
        start = next((part[:end] for end in ends if part[:end] in receipts), None)
        receipt = receipts.get(start or "")
        if len(ends) > 1 and receipt is not None:
            pattern = f"(?P<head>.{{{len(receipt['head'])}}})_{_REST}"
            new_match = re.fullmatch(pattern, part, re.DOTALL)
            yield fit if new_match is None else replace(fit, match=new_match)
        else:
            yield fit


def _build_attempts(head: str, fits: Iterable[Fit]) -> Iterator[tuple[Attempt, _Receipt]]:
    """Yield the attempts of one student, each with its receipt; `head` ends with the user name.

    An attempt without a receipt gets an empty one.
    """
    by_time = group_fits(fits, lambda fit: fit.match["time"])
    receipts = {
        time: next((_read_receipt(fit) for fit in attempt_fits if _is_receipt(fit)), _Receipt())
        for time, attempt_fits in by_time.items()
    }
    latest_named = next(
        (receipt for receipt in reversed(receipts.values()) if receipt.name), _Receipt()
    )
    person = _identify_student(head, latest_named)
    for time, receipt in receipts.items():
        submitted = receipt.submitted or _parse_stamp(time)
        yield _collect_files(by_time[time], receipt).attempt(person, submitted=submitted), receipt


def _number_attempts(attempts: Sequence[tuple[Attempt, _Receipt]]) -> Iterator[Attempt]:
    """Yield `attempts`, numbered in chronological order if they have different UTC offsets.

    They are not numbered if an offset is unknown.
    """
    # When the clocks go back, the local time of a later attempt can be earlier.
    utc_offsets = [receipt.utc_offset for _, receipt in attempts]
    if None in utc_offsets or len(set(utc_offsets)) == 1:
        yield from (attempt for attempt, _ in attempts)
        return

    def instant(pair: tuple[Attempt, _Receipt]) -> datetime:
        attempt, receipt = pair
        zone = timezone(receipt.utc_offset or timedelta())
        return _LONG_AGO if attempt.submitted is None else attempt.submitted.replace(tzinfo=zone)

    for number, (attempt, _) in enumerate(sorted(attempts, key=instant), 1):
        yield replace(attempt, number=number)


def _guess_several_assignments(fits: Iterable[Fit], attempts: Iterable[Attempt]) -> Iterable[str]:
    """Yield a guess for the teacher to check if there is more than one assignment."""
    users = {attempt.person.user or "" for attempt in attempts}
    heads = {fit.match["head"] for fit in fits}
    names = {
        head.removesuffix(f"_{user}")
        for head in heads
        for user in users
        if head.endswith(f"_{user}")
    }
    if len(names) > 1:
        listed_names = ", ".join(one_line(name, 40) for name in sorted(names)[:_MAX_LISTED])
        yield (
            f"there are {len(names)} assignments, which are treated as attempts at one exercise:"
            f" {listed_names}"
        )


def _is_receipt(fit: Fit) -> bool:
    return fit.match["rest"] == _RECEIPT_SUFFIX and not fit.parts_below


def _identify_student(head: str, receipt: _Receipt) -> Person:
    """Return the student whose user name is the last part of `head`, the start of a file name.

    The parts of `head` are separated by `_`, so only the receipt shows whether the user name itself
    contains a `_`.
    """
    user = head.rpartition("_")[2] or head
    if receipt.user is None:  # for instance on the receipt of a group
        return Person(name=receipt.name or None, user=None if receipt.name == user else user)
    if f"_{head}".endswith(f"_{receipt.user}"):
        return Person(name=receipt.name or None, user=receipt.user)
    return Person(user=user)  # the receipt is somebody else's


def _collect_files(fits: Iterable[Fit], receipt: _Receipt) -> AttemptBuilder:
    """Collect the files that one student handed in at one time, under their original names."""
    builder = AttemptBuilder()
    for fit in fits:
        file_part = fit.match["rest"] or ""
        if file_part != _RECEIPT_SUFFIX or fit.parts_below:
            file = receipt.originals.get(fit.match[0], file_part.removeprefix("_") or None)
            builder.add_file(fit.name, fit.path_of(file))
    return builder


def _read_receipt(fit: Fit) -> _Receipt:
    """Read the receipt in `fit`, whose labels can be in any language.

    An unreadable receipt counts as an empty one. Each file has a pair of lines:
    `Original filename: a.py`, `Filename: Test_ann_attempt_..._a.py`. A student's own comments come
    after the lines for student, assignment and date.
    """
    text = None if fit.name.leaf is None else read_text(fit.name.leaf, _MAX_RECEIPT_BYTES)
    lines = [line.partition(":")[2].strip() for line in (text or "").splitlines() if line.strip()]
    receipt = _Receipt()
    if not lines:
        return receipt
    if match := _NAME_AND_USER.fullmatch(lines[0]):
        receipt.name, receipt.user = match["name"], match["user"].strip()
    else:
        receipt.name = lines[0]
    date = _DATE.search(lines[_DATE_LINE]) if len(lines) > _DATE_LINE else None
    if date is not None:
        receipt.submitted = parse_time(date)
        receipt.utc_offset = find_utc_offset(lines[_DATE_LINE][date.end() :])
    start = fit.match[0].removesuffix(_RECEIPT_SUFFIX) + "_"
    for original, download_name in pairwise(lines):
        name = original.replace("\\", "/").rpartition("/")[2]
        if download_name.startswith(start) and name.strip(". ") and name.isprintable():
            receipt.originals[download_name] = name
    return receipt


def _parse_stamp(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, "%Y-%m-%d-%H-%M-%S")  # noqa: DTZ007 - the stamp has no zone
    except ValueError:
        return None


def _page_prefix(match: re.Match[str]) -> str:
    return f"{match[0][: match.end('time')]}_"


def _make_prefix(person: Person) -> str | None:
    return f"{safe_file_part(person.user)}_" if person.user else None


_SCHEME: Final = NamingScheme(layout="blackboard", title=_TITLE, pattern=_NAME, read=_read)
BLACKBOARD: Final = Platform(
    name="blackboard",
    recognise=_SCHEME.recognise,
    pages=Pages(scheme=_SCHEME, find_prefix=_page_prefix, make_prefix=_make_prefix),
    gradebooks=(
        Dialect(
            name="Blackboard grade centre",
            languages=(
                Words(
                    "en",
                    "last name, first name, username",
                    feedback="feedback to learner | feedback to student",
                ),
                Words(
                    "nl",
                    "achternaam | familienaam, voornaam, gebruikersnaam",
                    feedback="feedback aan cursist | feedback voor cursist | feedback aan student",
                ),
                Words(
                    "es",
                    "apellidos | apellido, nombre, nombre de usuario",
                    feedback="comentarios para el alumno | comentarios al alumno",
                ),
                Words(
                    "de",
                    "nachname, vorname, benutzername",
                    feedback="feedback an teilnehmer | feedback für teilnehmer",
                ),
                Words(
                    "fr",
                    "nom, prénom, nom d'utilisateur",
                    feedback="feedback à l'étudiant | commentaires à l'étudiant",
                ),
            ),
            mark=r"(?P<item>.*?) ?\[[^\]\d]*?"
            r"(?<!up to )(?<!tot )(?<!hasta )(?<!bis zu )(?<!jusqu'à )"
            r"(?P<max>\d+(?:[.,]\d+)?)(?![^\]]*te(?:kst|xt))[^\]]*\] ?\|\d+",
            has_commas=True,
            empty=frozenset(
                {"needs grading", "in progress", "te beoordelen", "beoordeling vereist", "bezig"}
                | {"requiere calificación", "necesita calificación", "en curso"}
                | {"benotung erforderlich", "in bearbeitung", "à noter", "en cours"}
            ),
        ),
    ),
)
