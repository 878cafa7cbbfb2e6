"""Recognises the gradebook of each platform by its header.

A dialect has required columns, and the names of the columns for marks, feedback and the maximum, in
each language of its platform. The last dialect fits any table with students and a column of marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from grader.intake.roster import Column, column_content
from grader.plugins.platforms.gradebooks.tables import Table
from grader.seams import PLATFORMS

_MAX_HEADER_ROW: Final = 20
"""Handmade worksheets may have a title above the header."""
_MAX_HEADER_CHARS: Final = 500
"""Longer headers are cut: matching takes more than linear time."""
NO_GRADE: Final = frozenset({"-", "\N{EN DASH}"})


class Words(NamedTuple):
    """The headers of a gradebook in one language, in lower case.

    Alternatives are separated by ` | `.
    """

    language: str
    signs: str | None = None
    """Headers, separated by `, `, that are all present in this language; None for never."""
    mark: str = ""
    """Words in the header of a mark."""
    feedback: str = ""
    """Headers of feedback, with `{item}` for the item that is marked."""
    maxima: str = ""
    """Headers of the maximum, as for feedback."""
    locked: str = ""
    """Headers of the column that says whether a mark can be changed."""
    scale: str = ""
    """Headers of a column that exists only if marks are words instead of numbers."""

    def are_in(self, headers: frozenset[str]) -> bool:
        """Return whether a gradebook with these `headers` is written in this language."""
        if self.signs is None:
            return False
        signs = filter(None, self.signs.split(", "))
        return all(not headers.isdisjoint(alternatives(sign)) for sign in signs)


def alternatives(text: str) -> list[str]:
    """Return the names in `text`, separated by ` | `."""
    return list(filter(None, text.split(" | ")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The form of one platform's gradebook."""

    name: str
    languages: tuple[Words, ...]
    mark: str
    """A pattern for the header of a mark, with `{mark}` for the words of all languages; it may have
    the groups `item`, for the item that is marked, and `max`."""
    has_notes: bool = False
    """Whether rows without a student have maxima, and say which columns are read only."""
    trusts_names: bool = True
    """Whether its names are reliable."""
    takes_html: bool = False
    """Whether feedback is HTML."""
    has_commas: bool = False
    """Whether marks have a decimal comma if the language has one: all except English."""
    empty: frozenset[str] = frozenset()
    """Texts of a cell without a mark yet."""

    def words(self, kind: str) -> list[str]:
        """Return the headers of one `kind` in all languages, since platforms mix them."""
        return [name for words in self.languages for name in alternatives(getattr(words, kind))]

    def header_in(self, table: Table, names: Sequence[str]) -> Header | None:
        """Return the first row of `table` with headers of students, and of marks or `names`."""
        wanted = frozenset(map(fold, names))
        for at, row in enumerate(table.rows[:_MAX_HEADER_ROW]):
            folded = tuple(fold(name[:_MAX_HEADER_CHARS]) for name in row)
            columns = ((column, column_content(name)) for column, name in enumerate(folded))
            parts = {column: part for column, part in columns if part is not None}
            words = next((each for each in self.languages if each.are_in(frozenset(folded))), None)
            if not parts or words is None:
                continue
            header = Header(self, words, at, tuple(row), folded, parts)
            # A column asked for by name need not look like one of marks.
            if header.marks() or not wanted.isdisjoint(folded):
                return header
        return None


class Header(NamedTuple):
    """The header of a worksheet."""

    dialect: Dialect
    words: Words
    """The words of its language."""
    row: int
    names: tuple[str, ...]
    """The headers, verbatim."""
    folded: tuple[str, ...]
    """The headers, normalized by `fold`."""
    parts: dict[int, Column]
    """The columns with a part of a student's identity."""

    @property
    def has_commas(self) -> bool:
        """Whether the platform writes marks in this language with a decimal comma."""
        return self.dialect.has_commas and self.words.language != "en"

    def marks(self) -> dict[int, re.Match[str]]:
        """Return the columns that may hold marks, with the match of their headers."""
        words = "|".join(map(re.escape, self.dialect.words("mark")))
        pattern = re.compile(self.dialect.mark.replace("{mark}", words))
        found = ((at, pattern.fullmatch(name)) for at, name in enumerate(self.folded))
        return {at: match for at, match in found if match is not None and at not in self.parts}

    def column(self, kind: str, item: str = "") -> int | None:
        """Return the first column with a header of this `kind`, None without one."""
        wanted = (each.format(item=item) for each in self.dialect.words(kind))
        return next((self.folded.index(each) for each in wanted if each in self.folded), None)


def recognised(table: Table, names: Sequence[str] = ()) -> Header | None:
    """Return the header of `table` in the first dialect that fits, None if none does."""
    headers = (dialect.header_in(table, names) for dialect in _dialects())
    return next(filter(None, headers), None)


def _dialects() -> Iterator[Dialect]:
    """Yield our dialects, those of installed plug-ins, and last the one for handmade tables."""
    for platform in chain(PLATFORMS.installed(), PLATFORMS.third_party()):
        yield from getattr(platform, "gradebooks", ())
    yield OWN


def fold(header: str) -> str:
    """Return `header` normalized for comparison: blanks, apostrophes and case."""
    plain = header.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(plain.replace("\N{NO-BREAK SPACE}", " ").split()).casefold()


OWN: Final = Dialect(
    name="worksheet of your own",
    languages=(
        Words(
            "en",
            "",
            mark="grade | mark | score | points | result | final grade | total | total score",
            feedback="comment | comments | feedback | remark | remarks",
            maxima="max | max points | max score | maximum | maximum grade | maximum score | out of"
            " | total max",
        ),
        Words(
            "nl",
            mark="cijfer | punt | punten | score | resultaat | beoordeling | totaal | quotering",
            feedback="commentaar | opmerking | opmerkingen | toelichting",
            maxima="maximaal cijfer | maximumscore | op",
        ),
        Words(
            "es",
            mark="nota | calificación | puntos | puntuación | resultado | nota final",
            feedback="comentario | comentarios | observaciones | retroalimentación",
            maxima="calificación máxima | máximo | puntuación máxima | sobre",
        ),
        # Not `Note` alone, which means a remark in English.
        Words(
            "de",
            mark="bewertung | punkte | punktzahl | ergebnis | endnote | gesamtpunkte",
            feedback="anmerkung | anmerkungen | bemerkung | bemerkungen | kommentar | kommentare"
            " | rückmeldung",
            maxima="bestwertung | höchstpunktzahl | maximale punktzahl | von",
        ),
        Words(
            "fr",
            mark="note finale | points | résultat",
            feedback="commentaire | commentaires | remarque | remarques",
            maxima="barème | note maximale | sur",
        ),
    ),
    mark=r"(?:{mark})"
    r"(?: ?[(\[]? ?(?:/|op|out of|sobre|sur|von) ?(?P<max>\d+(?:[.,]\d+)?)[)\]]?)?",
    empty=NO_GRADE,
)
"""It requires no headers, so it fits any table with columns of students and marks."""
