"""A layout that a teacher describes: a regular expression with a group `student`.

Groups `id`, `user`, `email`, `time` (in ISO form), `number` and `file` are used where they are
there.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from typing import Final

from grader.errors import UsageError
from grader.intake.layouts.recognition import (
    MAX_NAME_CHARS,
    LeftOut,
    Pile,
    Recognition,
    names_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source
from grader.values.foreign_text import one_line

_GROUPS: Final = ("student", "user", "id", "email", "time", "number")


def compiled_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that `text` is; raises `UsageError` where it cannot be used."""
    try:
        pattern = re.compile(text, re.DOTALL)
    except re.error as error:
        raise UsageError(f"--pattern is no regular expression: {one_line(str(error))}") from error
    if not {"student", "user", "id", "email"} & pattern.groupindex.keys():
        raise UsageError(
            "--pattern does not say who handed in",
            help="it needs a group, such as (?P<student>[^/]+)/(?P<file>.+)",
        )
    return pattern


def by_pattern(source: Source, pattern: re.Pattern[str]) -> Recognition | None:
    """Return what `pattern` makes of the paths of `source`, each taken as a whole."""
    piles: dict[tuple[str | None, ...], Pile] = {}
    fitting: set[str] = set()
    others: list[LeftOut] = []
    for name in names_of(source):
        short = len(name.path) <= 2 * MAX_NAME_CHARS
        found = pattern.fullmatch(name.path) if short else None
        if found is None:
            others.append(LeftOut(name.path, name.refusal or "the pattern does not match it"))
            continue
        fitting.add(name.path)
        groups = found.groupdict()
        pile = piles.setdefault(tuple(groups.get(key) for key in _GROUPS), Pile())
        pile.put(name, groups.get("file") or name.parts[-1])
    if not piles:
        return None
    return Recognition(
        layout="pattern",
        evidence=f"{len(fitting)} of {len(fitting) + len(others)} paths match the pattern",
        fitting=frozenset(fitting),
        attempts=tuple(_attempt(facts, pile) for facts, pile in piles.items()),
        left_out=tuple(others),
    )


def _attempt(facts: tuple[str | None, ...], pile: Pile) -> Attempt:
    student, user, identifier, email, time, number = facts
    submitted = None
    with suppress(ValueError):
        submitted = datetime.fromisoformat(time or "")
    return pile.attempt(
        Person(name=student, user=user, id=identifier, email=email, handle=student),
        submitted=submitted,
        number=int(number) if number is not None and number.isdecimal() else None,
    )
