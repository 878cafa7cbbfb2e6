"""Recognises the gradebook of each platform by its header.

A dialect lists the required columns, and the names of the columns for marks, feedback and maximum,
in each language of its platform. The last dialect fits any table with students and a mark column.
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
"""How many rows are searched for the header; handmade worksheets can have a title above it."""
_MAX_HEADER_CHARS: Final = 500
"""Longer headers are truncated, because matching takes more than linear time."""
NO_GRADE: Final = frozenset({"-", "\N{EN DASH}"})
"""Texts of a cell without a grade on several platforms."""


class Words(NamedTuple):
    """The headers of a gradebook in one language, in lower case.

    Alternatives are separated with ` | `.
    """

    language: str
    required: str | None = None
    """Headers that are all present in this language, separated with `, `; None if it never fits."""
    mark: str = ""
    """Words in the header of a mark column."""
    feedback: str = ""
    """Headers of feedback columns, with `{item}` for the marked item."""
    maxima: str = ""
    """Headers of maximum columns, with `{item}` for the marked item."""
    locked: str = ""
    """Headers of the column that says whether a mark can be changed."""
    scale: str = ""
    """Headers of a column that exists only if marks are words instead of numbers."""

    def match_headers(self, headers: frozenset[str]) -> bool:
        """Return whether a gradebook with these `headers` is written in this language."""
        if self.required is None:
            return False
        required_headers = filter(None, self.required.split(", "))
        return all(not headers.isdisjoint(alternatives(header)) for header in required_headers)


def alternatives(text: str) -> list[str]:
    """Split `text` into the names that are separated with ` | `."""
    return list(filter(None, text.split(" | ")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The layout of one platform's gradebook."""

    name: str
    languages: tuple[Words, ...]
    mark: str
    """The pattern of mark headers, with `{mark}` for the words of all languages. It can have the
    groups `item`, for the marked item, and `max`."""
    has_notes: bool = False
    """Whether rows without a student contain notes: maxima, and labels of read-only columns."""
    trusts_names: bool = True
    """Whether students can be matched by the names in the gradebook."""
    uses_html: bool = False
    """Whether feedback is HTML."""
    has_commas: bool = False
    """Whether marks have a decimal comma in languages that use it: all except English."""
    empty: frozenset[str] = frozenset()
    """Texts of a cell that contains no mark yet."""

    def words(self, kind: str) -> list[str]:
        """Return the headers of one `kind`, which is a field of `Words`.

        Those of all languages are returned, because platforms mix languages.
        """
        return [name for words in self.languages for name in alternatives(getattr(words, kind))]

    def find_header(self, table: Table, names: Sequence[str]) -> Header | None:
        """Return the first row of `table` with headers for both students and marks.

        One of `names` counts as a header for marks too. Return None if there is no such row in this
        dialect.
        """
        requested = frozenset(map(fold, names))
        for row_index, row in enumerate(table.rows[:_MAX_HEADER_ROW]):
            folded = tuple(fold(name[:_MAX_HEADER_CHARS]) for name in row)
            columns = ((column, column_content(name)) for column, name in enumerate(folded))
            parts = {column: part for column, part in columns if part is not None}
            headers = frozenset(folded)
            words = next((words for words in self.languages if words.match_headers(headers)), None)
            if not parts or words is None:
                continue
            header = Header(self, words, row_index, tuple(row), folded, parts)
            # A column requested by name need not look like a mark column.
            if header.marks() or not requested.isdisjoint(folded):
                return header
        return None


class Header(NamedTuple):
    """The header of a worksheet."""

    dialect: Dialect
    words: Words
    """The words of the header's language."""
    row: int
    names: tuple[str, ...]
    """The headers, verbatim."""
    folded: tuple[str, ...]
    """The headers, normalized by `fold`."""
    identity_columns: dict[int, Column]
    """The columns that identify a student, keyed by column index."""

    @property
    def has_commas(self) -> bool:
        """Whether the platform writes marks in this language with a decimal comma."""
        return self.dialect.has_commas and self.words.language != "en"

    def marks(self) -> dict[int, re.Match[str]]:
        """Return the columns that might contain marks, with the matches of their headers."""
        words = "|".join(map(re.escape, self.dialect.words("mark")))
        pattern = re.compile(self.dialect.mark.replace("{mark}", words))
        matches = ((column, pattern.fullmatch(name)) for column, name in enumerate(self.folded))
        return {
            column: match
            for column, match in matches
            if match is not None and column not in self.identity_columns
        }

    def column(self, kind: str, item: str = "") -> int | None:
        """Return the column with a header of this `kind` for `item`, or None if there is none.

        If several columns match, the dialect's first matching header decides.
        """
        names = (template.format(item=item) for template in self.dialect.words(kind))
        return next((self.folded.index(name) for name in names if name in self.folded), None)


def recognise_header(table: Table, names: Sequence[str] = ()) -> Header | None:
    """Return the header of `table` in the first dialect that fits, or None if none does."""
    headers = (dialect.find_header(table, names) for dialect in _dialects())
    return next(filter(None, headers), None)


def _dialects() -> Iterator[Dialect]:
    """Yield the built-in dialects, those of plug-ins, and finally the one for handmade tables."""
    for platform in chain(PLATFORMS.load_installed(), PLATFORMS.load_third_party()):
        yield from getattr(platform, "gradebooks", ())
    yield HANDMADE  # last, because it fits worksheets of platforms too


def fold(header: str) -> str:
    """Normalize the whitespace, apostrophes and case of `header` for comparison."""
    plain = header.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(plain.replace("\N{NO-BREAK SPACE}", " ").split()).casefold()


HANDMADE: Final = Dialect(
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
        # `Note` alone is not accepted, because it means a remark in English.
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
"""The dialect of handmade tables, which fits any table with columns for students and marks."""
