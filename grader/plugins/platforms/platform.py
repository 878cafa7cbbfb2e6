"""A platform: one value with everything known about its file names and formats.

The naming scheme of its downloads is defined once. Intake uses the scheme to read hand-ins, and
`grader export` uses it to name the pages that it writes, for the students that intake has matched.
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
from grader.values.foreign_text import escape_controls

_MAX_NAME_CHARS: Final = 50
"""The limit on a student's name in a file name; most systems allow 255 bytes in total."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """The result of reading names that follow a platform's naming scheme."""

    title: str | None = None
    """A title that is more specific than the scheme's own, for instance with a language."""
    owners: list[tuple[Fit, Person]] = field(default_factory=list)
    """Each name with its owner; the members of a team are listed separately."""
    attempts: list[Attempt] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingScheme:
    """The naming scheme of a platform's downloads."""

    layout: str
    title: str
    """The platform's title in messages."""
    pattern: re.Pattern[str]
    """Matches one part of a path."""
    read: Callable[[Sequence[Fit]], Reading]
    matches_files: bool = False
    """Whether the scheme names files, so that a folder follows it only if made from an archive."""
    companions: Mapping[str, str] = field(default_factory=dict)
    """Why a file that the platform adds to hand-ins is left out, keyed by lower-case file name."""
    has_own_ids: bool = False
    """Whether the ids identify hand-ins rather than people, so no roster or gradebook has them."""

    def match_names(self, source: Source) -> tuple[list[Fit], list[Name]]:
        """Split the names in `source` into those that follow this scheme, and all others."""
        return match_names(
            names_of(source), self.pattern, source.archives if self.matches_files else None
        )

    def recognise(self, source: Source, _known: KnownExercise) -> Recognition | None:
        """Return the hand-ins in `source`, or None if no name follows this scheme."""
        fits, other_names = self.match_names(source)
        if not fits:
            return None
        reading = self.read(fits)
        title = reading.title or self.title
        companions = [name for name in other_names if name.parts[-1].lower() in self.companions]
        other_names = [
            name for name in other_names if name.parts[-1].lower() not in self.companions
        ]
        return Recognition(
            layout=self.layout,
            evidence=evidence_text(fits, other_names, title),
            fitting=paths_of(fits) | {name.path for name in companions},
            attempts=tuple(reading.attempts),
            left_out=(
                *reading.left_out,
                *(
                    LeftOut(name.path, self.companions[name.parts[-1].lower()], is_hand_in=False)
                    for name in companions
                ),
                *leave_out_others(other_names, title),
            ),
            guesses=tuple(reading.guesses),
            has_own_ids=self.has_own_ids,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How to name the pages that a platform imports."""

    scheme: NamingScheme
    find_prefix: Callable[[re.Match[str]], str | None]
    """Returns the prefix of page names for the student who owns a name in the download, or None if
    the platform would reject the page."""
    make_prefix: Callable[[Person], str | None] | None = None
    """Returns the prefix for a student if there is no download, or None if it cannot be made."""
    needs_platform_id: bool = False
    """Whether `make_prefix` needs the student's id on the platform."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Layout):
    """One platform: the names of its hand-ins, and the formats of its gradebooks and pages."""

    gradebooks: tuple[Dialect, ...] = ()
    """The dialects of the platform's gradebooks, most specific first."""
    pages: Pages | None = None
    """None if the platform cannot import pages."""


def safe_file_part(text: str) -> str:
    """Return `text` as a path part that is valid on any system."""
    # Truncate again, because escaping makes the text longer.
    escaped = escape_controls(text[:_MAX_NAME_CHARS])[:_MAX_NAME_CHARS]
    # Windows rejects these characters in names, and drops spaces and dots at the end.
    return re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', " ", escaped).strip(" .") or "student"
