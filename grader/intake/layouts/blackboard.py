"""Blackboard, which Toledo and many others are: `<assignment>_<user>_attempt_<time>_<file>`.

The word for an attempt is in the language of the teacher. An assignment may have `_` in its name,
so names are read from the right. Beside the files of an attempt lies a receipt, `..._<time>.txt`,
which has the name of the student, and how each file was called before the platform named it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Final

from grader.intake.layouts.dates import TIME, time_in
from grader.intake.layouts.recognition import (
    Fit,
    Layout,
    Pile,
    Recognition,
    Wanted,
    counted,
    fits,
    grouped,
    names_of,
    others_left_out,
    paths_of,
    text_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source

_FORM: Final = re.compile(
    r"(?!gradebook_)(?P<head>.+?)_(?P<word>[^\W\d_]+)_(?P<time>\d{4}(?:-\d\d){5})(?P<rest>_.+|\.txt)?",
    re.DOTALL,
)
_LANGUAGES: Final = {
    "attempt": "en",
    "poging": "nl",
    "intento": "es",
    "tentative": "fr",
    "versuch": "de",
}
_RECEIPT: Final = ".txt"
_MAX_RECEIPT_BYTES: Final = 256 * 1024
_DATE: Final = re.compile(TIME, re.IGNORECASE)
_DATE_LINE: Final = 2
"""After the lines of the student and of the assignment."""
_WHO: Final = re.compile(r"(?P<name>.*?)\s*\((?P<user>[^()]+)\)")


@dataclass(slots=True)
class _Receipt:
    """What the platform says of an attempt, in whatever language."""

    name: str | None = None
    user: str | None = None
    submitted: datetime | None = None
    """When the attempt came; its stamp may be when it was begun."""
    originals: dict[str, str] = field(default_factory=dict)
    """How a file was called, by how it is called now."""


def _recognise(source: Source, _wanted: Wanted) -> Recognition | None:
    fitting, others = fits(names_of(source), _FORM)
    if not fitting:
        return None
    words = Counter(each.found["word"].lower() for each in fitting)
    language = _LANGUAGES.get(words.most_common(1)[0][0])
    title = "Blackboard" if language is None else f"Blackboard ({language})"
    attempts: list[Attempt] = []
    receipts = {each.found["head"]: _read(each) for each in fitting if _is_receipt(each)}
    for head, of_head in grouped(fitting, lambda each: each.found["head"]).items():
        person = _person(head, receipts.get(head, _Receipt()))
        for time, of_time in grouped(of_head, lambda each: each.found["time"]).items():
            attempts.append(
                _pile(of_time).attempt(person, submitted=_submitted(of_time) or _time(time))
            )
    return Recognition(
        layout="blackboard",
        evidence=counted(fitting, others, title),
        fitting=paths_of(fitting),
        attempts=tuple(attempts),
        left_out=others_left_out(others, title),
        guesses=tuple(_of_several(fitting, attempts)),
    )


def _of_several(fitting: Iterable[Fit], attempts: Iterable[Attempt]) -> Iterable[str]:
    """Yield what to look at where there is more than one assignment."""
    users = {attempt.person.user or "" for attempt in attempts}
    heads = {each.found["head"] for each in fitting}
    names = {
        head.removesuffix(f"_{user}")
        for head in heads
        for user in users
        if head.endswith(f"_{user}")
    }
    if len(names) > 1:
        yield f"{len(names)} assignments are in it, and each student's attempts are taken as of one"


def _is_receipt(fit: Fit) -> bool:
    return fit.found["rest"] == _RECEIPT and not fit.below


def _person(head: str, receipt: _Receipt) -> Person:
    """Return who stands at the end of `head`; only a receipt can tell a user name with `_`."""
    user = head.rpartition("_")[2] or head
    if receipt.user is None:  # a group, say
        return Person(name=receipt.name or None, user=None if receipt.name == user else user)
    if f"_{head}".endswith(f"_{receipt.user}"):
        return Person(name=receipt.name or None, user=receipt.user)
    return Person(user=user)  # it is the receipt of somebody else


def _pile(fitting: Iterable[Fit]) -> Pile:
    """Return what one student handed in at one time."""
    pile, originals = Pile(), _originals(fitting)
    for each in fitting:
        rest = each.found["rest"] or ""
        if rest != _RECEIPT or each.below:
            file = originals.get(each.found[0], rest.removeprefix("_") or None)
            pile.put(each.name, each.path_of(file))
    return pile


def _originals(fitting: Iterable[Fit]) -> Mapping[str, str]:
    receipts = (_read(each) for each in fitting if _is_receipt(each))
    return {now: was for receipt in receipts for now, was in receipt.originals.items()}


def _read(fit: Fit) -> _Receipt:
    """Return the receipt; labels are in any language, what a student wrote comes behind the first.

    Pairs of lines tell the files: `Original filename: a.py`, `Filename: Test_ann_attempt_..._a.py`.
    """
    text = None if fit.name.leaf is None else text_of(fit.name.leaf, _MAX_RECEIPT_BYTES)
    lines = [line.partition(":")[2].strip() for line in (text or "").splitlines() if line.strip()]
    receipt = _Receipt()
    if not lines:
        return receipt
    if who := _WHO.fullmatch(lines[0]):
        receipt.name, receipt.user = who["name"], who["user"].strip()
    else:
        receipt.name = lines[0]
    date = _DATE.search(lines[_DATE_LINE]) if len(lines) > _DATE_LINE else None
    receipt.submitted = date and time_in(date)
    start = fit.found[0].removesuffix(_RECEIPT) + "_"
    for was, now in pairwise(lines):
        name = was.replace("\\", "/").rpartition("/")[2]
        if now.startswith(start) and name.strip(". ") and name.isprintable():
            receipt.originals[now] = name
    return receipt


def _submitted(fitting: Iterable[Fit]) -> datetime | None:
    times = (_read(each).submitted for each in fitting if _is_receipt(each))
    return next(filter(None, times), None)


def _time(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, "%Y-%m-%d-%H-%M-%S")  # noqa: DTZ007 - it tells no zone
    except ValueError:
        return None


BLACKBOARD: Final = Layout(name="blackboard", recognise=_recognise)
