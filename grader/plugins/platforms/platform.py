"""A platform: one value with all that is known of its file names and formats.

The form of names in its downloads is defined once. Intake uses it to read hand-ins, and pages are
named by it when they go back: intake has matched each name to a student.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grader.intake.layouts.recognition import (
    Fit,
    KnownExercise,
    Layout,
    LeftOut,
    Name,
    Recognition,
    evidence_text,
    leave_out_others,
    match_names,
    names_of,
    paths_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source
from grader.plugins.platforms.gradebooks.dialects import Dialect
from grader.values.foreign_text import plain

_MAX_NAME_CHARS: Final = 50
"""The limit on a student's name in a file name: most systems allow 255 bytes in all."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """The result of reading names in the form of a platform."""

    title: str | None = None
    """The title of the form, if it is more than the name of the platform."""
    owned: list[tuple[Fit, Person]] = field(default_factory=list)
    """Each name with its owner; members of teams are listed by themselves."""
    attempts: list[Attempt] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameForm:
    """The form of the names in the downloads of a platform."""

    layout: str
    title: str
    """The title for people."""
    pattern: re.Pattern[str]
    """For one part of a path."""
    read: Callable[[Sequence[Fit]], Reading]
    of_files: bool = False
    """Whether it is for files, so that a folder has it only if it is an archive."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Files that the platform adds to hand-ins, by name in small letters, with descriptions."""
    has_own_ids: bool = False
    """Whether its ids are of hand-ins, which occur in no roster and no gradebook."""

    def match_names(self, source: Source) -> tuple[list[Fit], list[Name]]:
        """Return the names in `source` that have this form, and the others."""
        return match_names(
            names_of(source), self.pattern, source.archives if self.of_files else None
        )

    def recognise(self, source: Source, _known: KnownExercise) -> Recognition | None:
        """Return the hand-ins in `source`, None if no name has this form."""
        fitting, others = self.match_names(source)
        if not fitting:
            return None
        reading = self.read(fitting)
        title = reading.title or self.title
        beside = [name for name in others if name.parts[-1].lower() in self.beside]
        others = [name for name in others if name.parts[-1].lower() not in self.beside]
        return Recognition(
            layout=self.layout,
            evidence=evidence_text(fitting, others, title),
            fitting=paths_of(fitting) | {name.path for name in beside},
            attempts=tuple(reading.attempts),
            left_out=(
                *reading.left_out,
                *(
                    LeftOut(name.path, self.beside[name.parts[-1].lower()], is_hand_in=False)
                    for name in beside
                ),
                *leave_out_others(others, title),
            ),
            guesses=tuple(reading.guesses),
            has_own_ids=self.has_own_ids,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """The prefixes of names of pages that a platform takes back."""

    form: NameForm
    name: Callable[[re.Match[str]], str | None]
    """Returns the prefix for the student of a name in a download; None if the platform would not
    take it."""
    made: Callable[[Person], str | None] | None = None
    """Returns the prefix for a student without a download, if it can be made."""
    made_by_id: bool = False
    """Whether `made` needs the platform's id of the student."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Layout):
    """One platform: the names of its hand-ins, and the formats of marks and pages."""

    gradebooks: tuple[Dialect, ...] = ()
    """The dialects of its gradebooks, the most specific first."""
    pages: Pages | None = None
    """None if it takes no pages."""


def safe(text: str) -> str:
    """Return `text` as a part of a path on any system."""
    # Cut again, since what `plain` escapes gets longer.
    shown = plain(text[:_MAX_NAME_CHARS])[:_MAX_NAME_CHARS]
    # What Windows refuses in names; it also drops blanks and dots at the end.
    return re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', " ", shown).strip(" .") or "student"
