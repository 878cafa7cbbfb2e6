"""How each platform writes its gradebook, and by what its worksheet is known.

The header tells. A dialect needs some columns to be there; it knows what the column of a mark is
called, and where feedback and the maximum stand, in each language that its platform speaks. A table
of somebody's own, with keys and something called a mark, is the last of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from grader.intake.roster import Part, part_of
from grader.plugins.platforms.gradebooks.tables import Table
from grader.seams import PLATFORMS

_MAX_HEADER_ROW: Final = 20
"""A worksheet of one's own may have a title above its header."""
_MAX_HEADER_CHARS: Final = 500
"""Of one cell: to look for its parts takes longer than it is long."""
NO_GRADE: Final = frozenset({"-", "\N{EN DASH}"})


class Words(NamedTuple):
    """What the columns of a gradebook are called in one language, in small letters.

    Where there are several names for one thing, ` | ` stands between them.
    """

    language: str
    signs: str | None = None
    """Headers, with `, ` between them: where all are there, it is written in this language."""
    mark: str = ""
    """What stands in the header of a mark."""
    feedback: str = ""
    """Headers of feedback, `{item}` being what is marked."""
    maxima: str = ""
    """Headers of the maximum, as for feedback."""
    locked: str = ""
    """Headers of what says whether a mark can be changed."""
    scale: str = ""
    """Headers of a column that is there only where marks are words, and no numbers."""

    def are_in(self, headers: frozenset[str]) -> bool:
        """Return whether a gradebook with these `headers` is written in this language."""
        if self.signs is None:
            return False
        signs = filter(None, self.signs.split(", "))
        return all(not headers.isdisjoint(alternatives(sign)) for sign in signs)


def alternatives(text: str) -> list[str]:
    """Return the names in a `text` that has ` | ` between them."""
    return list(filter(None, text.split(" | ")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one platform writes its gradebook."""

    name: str
    languages: tuple[Words, ...]
    mark: str
    """A pattern of the header of a mark, in which `{mark}` stands for the words of all languages;
    it may have an `item`, what is marked, and a `max`."""
    has_notes: bool = False
    """Whether rows without a student say what marks are out of, and which columns are read only."""
    trusts_names: bool = True
    """Whether a name in it is sure to be that of the student."""
    takes_html: bool = False
    """Whether feedback is read as HTML."""
    has_commas: bool = False
    """Whether marks have a decimal comma where the language has one: in all of ours but English."""
    empty: frozenset[str] = frozenset()
    """What stands in the cell of a mark where there is none yet."""

    def words(self, kind: str) -> list[str]:
        """Return the headers of one `kind` in all languages: platforms mix them."""
        return [name for words in self.languages for name in alternatives(getattr(words, kind))]

    def header_in(self, table: Table, names: Sequence[str]) -> Header | None:
        """Return the row of `table` that names students, and marks or one of `names`."""
        wanted = frozenset(map(fold, names))
        for at, row in enumerate(table.rows[:_MAX_HEADER_ROW]):
            folded = tuple(fold(name[:_MAX_HEADER_CHARS]) for name in row)
            told = ((column, part_of(name)) for column, name in enumerate(folded))
            parts = {column: part for column, part in told if part is not None}
            words = next((each for each in self.languages if each.are_in(frozenset(folded))), None)
            if not parts or words is None:
                continue
            header = Header(self, words, at, tuple(row), folded, parts)
            if header.marks() or not wanted.isdisjoint(folded):
                return header
        return None


class Header(NamedTuple):
    """The header of a worksheet."""

    dialect: Dialect
    words: Words
    """Of the language that it is in."""
    row: int
    names: tuple[str, ...]
    """As they stand there."""
    folded: tuple[str, ...]
    """As they are compared."""
    parts: dict[int, Part]
    """What columns hold of a student."""

    @property
    def has_commas(self) -> bool:
        """Whether the platform writes marks in this language with a decimal comma."""
        return self.dialect.has_commas and self.words.language != "en"

    def marks(self) -> dict[int, re.Match[str]]:
        """Return the columns that may hold marks, with what their names say."""
        words = "|".join(map(re.escape, self.dialect.words("mark")))
        pattern = re.compile(self.dialect.mark.replace("{mark}", words))
        found = ((at, pattern.fullmatch(name)) for at, name in enumerate(self.folded))
        return {at: match for at, match in found if match is not None and at not in self.parts}

    def column(self, kind: str, item: str = "") -> int | None:
        """Return the first column of one `kind` of words, None where there is none."""
        wanted = (each.format(item=item) for each in self.dialect.words(kind))
        return next((self.folded.index(each) for each in wanted if each in self.folded), None)


def recognised(table: Table, names: Sequence[str] = ()) -> Header | None:
    """Return the header of `table`, by the dialect that fits; None where none does."""
    headers = (dialect.header_in(table, names) for dialect in _dialects())
    return next(filter(None, headers), None)


def _dialects() -> Iterator[Dialect]:
    """Yield ours, those of others where ours do not fit, and at last that of one's own."""
    for platform in chain(PLATFORMS.installed(), PLATFORMS.third_party()):
        yield from getattr(platform, "gradebooks", ())
    yield OWN


def fold(header: str) -> str:
    """Return a header as it is compared."""
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
        # `Note` alone is a remark to others.
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
"""It has no signs of its own, so it fits whatever names students and marks."""
