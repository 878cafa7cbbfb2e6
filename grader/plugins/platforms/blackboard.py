"""Downloads of Blackboard, such as Toledo: `<assignment>_<user>_attempt_<time>_<file>`.

The word for an attempt is in the language of the teacher. Names of assignments may contain `_`, so
names are read from the right. Beside the files of an attempt is a receipt, `..._<time>.txt`, with
the name of the student and the original names of the files.
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
from grader.plugins.platforms.dates import TIME, time_in, zone_in
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NameForm, Pages, Platform, Reading, safe

_REST: Final = r"(?P<word>[^\W\d_]+)_(?P<time>\d{4}(?:-\d\d){5})(?P<rest>_.+|\.txt)?"
# Downloads themselves are called `gradebook_...`.
_NAME: Final = re.compile(rf"(?!gradebook_)(?P<head>.+?)_{_REST}", re.DOTALL)
_STAMP: Final = re.compile(r"_[^\W\d_]+_\d{4}(?:-\d\d){5}")
_FORM_OF_RECEIPT: Final = re.compile(rf"(?P<head>.+){_STAMP.pattern}\.txt", re.DOTALL)
_LANGUAGES: Final = {
    "attempt": "en",
    "poging": "nl",
    "intento": "es",
    "tentative": "fr",
    "versuch": "de",
}
_TITLE: Final = "Blackboard"
_RECEIPT: Final = ".txt"
_MAX_RECEIPT_BYTES: Final = 256 * 1024
_DATE: Final = re.compile(TIME, re.IGNORECASE)
_DATE_LINE: Final = 2
"""The index of the line with the date, after those of the student and the assignment."""
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_WHO: Final = re.compile(r"(?P<name>.*?)\s*\((?P<user>[^()]+)\)")


@dataclass(slots=True)
class _Receipt:
    """The receipt of an attempt, in any language."""

    name: str | None = None
    user: str | None = None
    submitted: datetime | None = None
    """The time of submission, in the time zone of the course; names may have the start time."""
    zone: timedelta | None = None
    """The offset of that time from UTC, which differs in summer."""
    originals: dict[str, str] = field(default_factory=dict)
    """The original names of files, by their names now."""


def _read(given: Sequence[Fit]) -> Reading:
    fitting = list(_reread(given))
    words = Counter(each.match["word"].lower() for each in fitting)
    language = _LANGUAGES.get(words.most_common(1)[0][0])
    reading = Reading(title=f"{_TITLE} ({language})" if language else _TITLE)
    for head, of_head in group_fits(fitting, lambda each: each.match["head"]).items():
        attempts = list(_attempts(head, of_head))
        person = attempts[0][0].person
        reading.owned += [(each, person) for each in of_head]
        reading.attempts += _in_order(attempts)
    reading.guesses += _of_several(fitting, reading.attempts)
    return reading


def _reread(fitting: Sequence[Fit]) -> Iterator[Fit]:
    """Yield `fitting`, with ambiguous names split as in the receipt of their attempt.

    A name is ambiguous if it has the form twice: assignments and files of students may be called
    like downloads.
    """
    starts = {
        part.removesuffix(_RECEIPT): found
        for each in fitting
        if (found := _FORM_OF_RECEIPT.fullmatch(part := each.match[0])) and not each.parts_below
    }
    for each in fitting:
        part, ends = each.match[0], [end.end() for end in _STAMP.finditer(each.match[0])]
        start = next((part[:end] for end in ends if part[:end] in starts), None)
        found = starts.get(start or "")
        if len(ends) > 1 and found is not None:
            form = f"(?P<head>.{{{len(found['head'])}}})_{_REST}"
            again = re.fullmatch(form, part, re.DOTALL)
            yield each if again is None else replace(each, match=again)
        else:
            yield each


def _attempts(head: str, fitting: Iterable[Fit]) -> Iterator[tuple[Attempt, _Receipt]]:
    """Yield the attempts of the student at the end of `head`, each with its receipt."""
    by_time = group_fits(fitting, lambda each: each.match["time"])
    receipts = {
        time: next((_receipt(each) for each in of_time if _is_receipt(each)), _Receipt())
        for time, of_time in by_time.items()
    }
    named = next((each for each in reversed(receipts.values()) if each.name), _Receipt())
    person = _person(head, named)
    for time, receipt in receipts.items():
        submitted = receipt.submitted or _time(time)
        yield _pile(by_time[time], receipt).attempt(person, submitted=submitted), receipt


def _in_order(attempts: Sequence[tuple[Attempt, _Receipt]]) -> Iterator[Attempt]:
    """Yield `attempts`, numbered in real order if their UTC offsets differ."""
    zones = [receipt.zone for _, receipt in attempts]
    if None in zones or len(set(zones)) == 1:
        yield from (attempt for attempt, _ in attempts)
        return

    def moment(each: tuple[Attempt, _Receipt]) -> datetime:
        attempt, receipt = each
        zone = timezone(receipt.zone or timedelta())
        return _LONG_AGO if attempt.submitted is None else attempt.submitted.replace(tzinfo=zone)

    for number, (attempt, _) in enumerate(sorted(attempts, key=moment), 1):
        yield replace(attempt, number=number)


def _of_several(fitting: Iterable[Fit], attempts: Iterable[Attempt]) -> Iterable[str]:
    """Yield a guess to check if there is more than one assignment."""
    users = {attempt.person.user or "" for attempt in attempts}
    heads = {each.match["head"] for each in fitting}
    names = {
        head.removesuffix(f"_{user}")
        for head in heads
        for user in users
        if head.endswith(f"_{user}")
    }
    if len(names) > 1:
        yield f"it has {len(names)} assignments, which are treated as attempts at one exercise"


def _is_receipt(fit: Fit) -> bool:
    return fit.match["rest"] == _RECEIPT and not fit.parts_below


def _person(head: str, receipt: _Receipt) -> Person:
    """Return the student whose user name ends `head`, the start of a file name.

    `_` separates its parts, so that only the receipt shows which user names contain one.
    """
    user = head.rpartition("_")[2] or head
    if receipt.user is None:  # such as that of a group
        return Person(name=receipt.name or None, user=None if receipt.name == user else user)
    if f"_{head}".endswith(f"_{receipt.user}"):
        return Person(name=receipt.name or None, user=receipt.user)
    return Person(user=user)  # the receipt is somebody else's


def _pile(fitting: Iterable[Fit], receipt: _Receipt) -> AttemptBuilder:
    """Return the files that one student handed in at one time."""
    pile = AttemptBuilder()
    for each in fitting:
        rest = each.match["rest"] or ""
        if rest != _RECEIPT or each.parts_below:
            file = receipt.originals.get(each.match[0], rest.removeprefix("_") or None)
            pile.add_file(each.name, each.path_of(file))
    return pile


def _receipt(fit: Fit) -> _Receipt:
    """Return the receipt; labels are in any language, and comments of students come later.

    Files are in pairs of lines: `Original filename: a.py`, `Filename: Test_ann_attempt_..._a.py`.
    """
    text = None if fit.name.leaf is None else read_text(fit.name.leaf, _MAX_RECEIPT_BYTES)
    lines = [line.partition(":")[2].strip() for line in (text or "").splitlines() if line.strip()]
    receipt = _Receipt()
    if not lines:
        return receipt
    if who := _WHO.fullmatch(lines[0]):
        receipt.name, receipt.user = who["name"], who["user"].strip()
    else:
        receipt.name = lines[0]
    date = _DATE.search(lines[_DATE_LINE]) if len(lines) > _DATE_LINE else None
    if date is not None:
        receipt.submitted = time_in(date)
        receipt.zone = zone_in(lines[_DATE_LINE][date.end() :])
    start = fit.match[0].removesuffix(_RECEIPT) + "_"
    for was, now in pairwise(lines):
        name = was.replace("\\", "/").rpartition("/")[2]
        if now.startswith(start) and name.strip(". ") and name.isprintable():
            receipt.originals[now] = name
    return receipt


def _time(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, "%Y-%m-%d-%H-%M-%S")  # noqa: DTZ007 - it has no zone
    except ValueError:
        return None


def _page(found: re.Match[str]) -> str:
    return f"{found[0][: found.end('time')]}_"


def _made(person: Person) -> str | None:
    return f"{safe(person.user)}_" if person.user else None


_FORM: Final = NameForm(layout="blackboard", title=_TITLE, pattern=_NAME, read=_read)
BLACKBOARD: Final = Platform(
    name="blackboard",
    recognise=_FORM.recognise,
    pages=Pages(form=_FORM, name=_page, made=_made),
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
