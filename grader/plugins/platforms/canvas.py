"""Canvas: `<last and first name>[_LATE]_<user id>_<submission id>_<file>`, all in one folder.

The name is in lower case and without spaces, so it is only a *handle*. A file that is handed in
again has `-1` after its name. Submission ids increase, so they determine the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, group_fits
from grader.intake.people import Attempt, Person
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NamingScheme, Pages, Platform, Reading

_NAME: Final = re.compile(
    r"(?P<front>LATE_)?(?P<handle>[^\W_A-Z]+(?:_late(?=_LATE))?)(?P<late>_LATE|_late)?_"
    r"(?P<id>\d+|(?<=anon_)[a-zA-Z0-9]+|(?<=anonymous_)[a-zA-Z0-9]+|(?<=anonymous_LATE_)[a-zA-Z0-9]+)"
    r"_(?:(?P<submission>\d+)_(?P<file>.+)|(?P<text_kind>text|link|url|question_\d+.*)\.\w+)",
    re.DOTALL,
)
_REPEATED_NAME: Final = re.compile(r"(?P<stem>.*[^-])-(?P<number>[1-9]\d?)(?P<suffix>(?:\.\w+)*)")


def _read(fits: Sequence[Fit]) -> Reading:
    """Read the attempts of each user."""
    reading = Reading()
    for user, user_fits in group_fits(fits, lambda fit: fit.match["id"]).items():
        handle = user_fits[0].match["handle"]
        person = Person(handle=handle, id=user)
        attempts = _build_attempts(user_fits, person)
        reading.attempts += attempts
        reading.owners += [(fit, person) for fit in user_fits]
        if len(attempts) > 1 and not _lateness_differs(attempts):
            reading.guesses.append(
                f"{handle}: files with the same name are treated as {len(attempts)} attempts"
            )
    return reading


def _lateness_differs(attempts: Sequence[Attempt]) -> bool:
    return all(first.is_late != second.is_late for first, second in pairwise(attempts))


def _build_attempts(fits: Iterable[Fit], person: Person) -> list[Attempt]:
    """Return the attempts of `person`.

    A repeated file name starts a new attempt, and so does a change between on time and late.
    """
    by_part = group_fits(fits, lambda fit: fit.name.parts[fit.depth])
    # Text that was typed on the platform has no submission id.
    parts = sorted(by_part.values(), key=lambda part: int(part[0].match["submission"] or 0))
    builders: list[tuple[AttemptBuilder, bool, set[str], int]] = []
    for part in parts:
        file, repeat_count = _original_name(part[0])
        is_late = any(part[0].match[flag] is not None for flag in ("late", "front"))
        if not builders or file in builders[-1][2] or is_late != builders[-1][1]:
            builders.append((AttemptBuilder(), is_late, set(), 1))
        builder, _, files, number = builders[-1]
        files.add(file)
        builders[-1] = (builder, is_late, files, max(number, repeat_count + 1))
        for fit in part:
            builder.add_file(fit.name, fit.path_of(file))
    return [
        builder.attempt(person, number=max(number, index), is_late=is_late)
        for index, (builder, is_late, _, number) in enumerate(builders, 1)
    ]


def _original_name(fit: Fit) -> tuple[str, int]:
    """Return a file's name before Canvas numbered it, and the number, or 0 if there is none."""
    file = fit.match["file"] or f"{fit.match['text_kind']}.html"
    match = _REPEATED_NAME.fullmatch(file)
    if match is None:
        return file, 0
    return match["stem"] + match["suffix"], int(match["number"])


def _page_prefix(match: re.Match[str]) -> str | None:
    """Return the prefix for a page's name, or None for text that was typed on the platform.

    Canvas ignores pages for hand-ins without an attachment.
    """
    return None if match["file"] is None else match[0][: match.start("file")]


_SCHEME: Final = NamingScheme(layout="canvas", title="Canvas", pattern=_NAME, read=_read)
CANVAS: Final = Platform(
    name="canvas",
    recognise=_SCHEME.recognise,
    pages=Pages(scheme=_SCHEME, find_prefix=_page_prefix),
    gradebooks=(
        Dialect(
            name="Canvas gradebook",
            languages=(
                Words("en", "student, id, section | sis login id"),
                Words("en", "id, sis login id, section"),
                Words("nl", "student, id, sectie"),
                Words("es", "estudiante, id, sección"),
                Words("de", "student | student/in | teilnehmer, id, abschnitt"),
                Words("fr", "étudiant | élève, id, section"),
            ),
            mark=r"(?P<item>.+) \(\d+\)",
            has_notes=True,
        ),
    ),
)
