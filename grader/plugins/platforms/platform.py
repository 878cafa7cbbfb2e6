"""A platform: one value, in which stands all that is known of how it names and writes things.

The form of the names in its downloads stands there once. Intake reads hand-ins by it, and pages go
back by it: whose page it is, is what intake made of the name of what was handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grader.intake.layouts.recognition import (
    Fit,
    Layout,
    LeftOut,
    Name,
    Recognition,
    Wanted,
    counted,
    fits,
    names_of,
    others_left_out,
    paths_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source
from grader.plugins.platforms.gradebooks.dialects import Dialect
from grader.values.foreign_text import plain

_MAX_NAME_CHARS: Final = 50
"""Of a student in a name that is made: few systems have room for more than 255 bytes."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """What was made of the names that have the form of a platform."""

    title: str | None = None
    """What the form is called, where that is more than the name of the platform."""
    owned: list[tuple[Fit, Person]] = field(default_factory=list)
    """Whose each name is; a member of a team is herself."""
    attempts: list[Attempt] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameForm:
    """The form of the names in the downloads of a platform."""

    layout: str
    title: str
    """What it is called."""
    pattern: re.Pattern[str]
    """Of one part of a path."""
    read: Callable[[Sequence[Fit]], Reading]
    of_files: bool = False
    """Whether it is that of files, so that a folder has it only if it is an archive."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """What the platform puts beside the hand-ins, by small letters, and what it is."""
    has_own_ids: bool = False
    """Whether the ids in it are those of hand-ins, which stand in no roster and in no gradebook."""

    def fits(self, source: Source) -> tuple[list[Fit], list[Name]]:
        """Return the names in `source` that have this form, and the others."""
        return fits(names_of(source), self.pattern, source.archives if self.of_files else None)

    def recognise(self, source: Source, _wanted: Wanted) -> Recognition | None:
        """Return what is made of `source`, None where nothing has this form."""
        fitting, others = self.fits(source)
        if not fitting:
            return None
        reading = self.read(fitting)
        title = reading.title or self.title
        beside = [name for name in others if name.parts[-1].lower() in self.beside]
        others = [name for name in others if name.parts[-1].lower() not in self.beside]
        return Recognition(
            layout=self.layout,
            evidence=counted(fitting, others, title),
            fitting=paths_of(fitting) | {name.path for name in beside},
            attempts=tuple(reading.attempts),
            left_out=(
                *reading.left_out,
                *(
                    LeftOut(name.path, self.beside[name.parts[-1].lower()], is_hand_in=False)
                    for name in beside
                ),
                *others_left_out(others, title),
            ),
            guesses=tuple(reading.guesses),
            has_own_ids=self.has_own_ids,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How the names of pages begin that a platform takes back."""

    form: NameForm
    name: Callable[[re.Match[str]], str | None]
    """Given a name in a download, returns the beginning for the same student; None where the
    platform would not take it."""
    made: Callable[[Person], str | None] | None = None
    """Returns the beginning for who is in no download, where it is enough to know her."""
    made_by_id: bool = False
    """Whether that needs the id that the platform knows her by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Layout):
    """One platform: how it names what was handed in, and how it takes marks and pages back."""

    gradebooks: tuple[Dialect, ...] = ()
    """How it writes its gradebooks; what is most special comes first."""
    pages: Pages | None = None
    """None where it takes none."""


def safe(text: str) -> str:
    """Return `text` as a part of a path on any system."""
    shown = plain(text[:_MAX_NAME_CHARS])[:_MAX_NAME_CHARS]
    return re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', " ", shown).strip(" .") or "student"
