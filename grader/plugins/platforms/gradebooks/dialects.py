"""How each platform writes its gradebook, and by what its worksheet is known.

The header tells. A dialect needs some columns to be there; it knows what the column of a mark is
called, and where feedback and the maximum stand. First comes what is most special; a table with
keys and something called a mark is the last of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from grader.intake.columns import Part, part_of
from grader.plugins.platforms.gradebooks.columns import FEEDBACK, MARKS, MAXIMA
from grader.plugins.platforms.gradebooks.tables import Table

_MAX_HEADER_ROW: Final = 20
"""A worksheet of one's own may have a title above its header."""
_MAX_HEADER_CHARS: Final = 500
"""Of one cell: to look for its parts takes longer than it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one platform writes its gradebook; headers are in small letters."""

    name: str
    signs: tuple[frozenset[str], ...]
    """It is this one where all the headers of one of these are there."""
    mark: re.Pattern[str]
    """The header of a mark; it may have an `item`, what is marked, and a `max`."""
    feedback: tuple[str, ...] = ()
    """Headers of feedback, `{item}` being what is marked."""
    maxima: tuple[str, ...] = ()
    """Headers of the maximum, as for feedback."""
    locked: tuple[str, ...] = ()
    """Headers of what says whether a mark can be changed."""
    has_notes: bool = False
    """Whether rows without a student say what marks are out of, and which columns are read only."""
    trusts_names: bool = True
    """Whether a name in it is sure to be that of the student."""
    takes_html: bool = False
    """Whether feedback is read as HTML."""
    comma_words: frozenset[str] = frozenset()
    """Headers of languages in which this platform writes a decimal comma."""
    empty: frozenset[str] = frozenset()
    """What stands in the cell of a mark where there is none yet."""
    words: tuple[str, ...] = ()
    """Headers of a column that is there only where marks are words, and no numbers."""


class Header(NamedTuple):
    """The header of a worksheet."""

    dialect: Dialect
    row: int
    names: tuple[str, ...]
    """As they stand there."""
    folded: tuple[str, ...]
    """As they are compared."""
    parts: dict[int, Part]
    """What columns hold of a student."""

    def marks(self) -> dict[int, re.Match[str]]:
        """Return the columns that may hold marks, with what their names say."""
        found = ((at, self.dialect.mark.fullmatch(name)) for at, name in enumerate(self.folded))
        return {at: match for at, match in found if match is not None and at not in self.parts}

    def column(self, names: Sequence[str], item: str = "") -> int | None:
        """Return the first column that is called as one of `names`, None where there is none."""
        wanted = (each.format(item=item) for each in names)
        return next((self.folded.index(each) for each in wanted if each in self.folded), None)


def recognised(table: Table, names: Sequence[str] = ()) -> Header | None:
    """Return the header of `table`: a row that names students, and marks or one of `names`.

    It is None where no row of the first ones is one.
    """
    wanted = frozenset(map(fold, names))
    for at, row in enumerate(table.rows[:_MAX_HEADER_ROW]):
        folded = tuple(fold(name[:_MAX_HEADER_CHARS]) for name in row)
        told = ((column, part_of(name)) for column, name in enumerate(folded))
        parts = {column: part for column, part in told if part is not None}
        for dialect in DIALECTS if parts else ():
            header = Header(dialect, at, tuple(row), folded, parts)
            is_there = any(signs <= frozenset(folded) for signs in dialect.signs)
            if is_there and (header.marks() or not wanted.isdisjoint(folded)):
                return header
    return None


def fold(header: str) -> str:
    """Return a header as it is compared."""
    return " ".join(header.replace("\N{NO-BREAK SPACE}", " ").split()).casefold()


_NO_GRADE: Final = frozenset({"-", "\N{EN DASH}"})

DIALECTS: Final = (
    Dialect(
        name="Moodle grading worksheet",
        signs=(
            frozenset({"identifier", "grade", "last modified (grade)"}),
            frozenset({"identificatie", "cijfer", "laatst gewijzigd (beoordeling)"}),
            frozenset({"identificatie", "beoordeling", "laatst gewijzigd (beoordeling)"}),
            frozenset({"identificatie", "cijfer", "laatst gewijzigd (cijfer)"}),
            frozenset({"identificador", "calificación", "última modificación (calificación)"}),
        ),
        mark=re.compile("grade|cijfer|beoordeling|calificación"),
        feedback=(
            *("feedback comments", "feedback", "feedback als commentaar", "feedback opmerkingen"),
            *("feedback commentaar", "comentarios de retroalimentación"),
        ),
        maxima=("maximum grade", "maximaal cijfer", "maximumcijfer", "calificación máxima"),
        locked=(
            *("grade can be changed", "het cijfer kan gewijzigd worden"),
            *("cijfer kan gewijzigd worden", "la calificación puede ser cambiada"),
        ),
        takes_html=True,
        words=("scale", "schaal", "escala"),
        comma_words=frozenset({"identificatie", "identificador"}),
        empty=_NO_GRADE,
    ),
    Dialect(
        name="Moodle grader report",
        signs=(
            frozenset({"first name", "surname", "email address"}),
            frozenset({"first name", "last name", "last downloaded from this course"}),
            frozenset({"voornaam", "achternaam", "e-mailadres"}),
            frozenset({"nombre", "apellido(s)", "dirección de correo"}),
        ),
        mark=re.compile(
            r"(?!feedback:)(?!.*\((?:feedback|comentarios|retroalimentación|letter|letra"
            r"|percentage|porcentaje)\)$)[^:()]+: ?(?P<item>.+?)(?: \((?:real|echt|reëel)\))?"
        ),
        feedback=tuple(
            f"{kind}:{space}{{item}} ({word})"
            for kind in ("assignment", "opdracht", "tarea")
            for space in (" ", "")
            for word in ("feedback", "comentarios", "retroalimentación")
        ),
        comma_words=frozenset({"achternaam", "apellido(s)"}),
        empty=_NO_GRADE,
    ),
    Dialect(
        name="Canvas gradebook",
        signs=(
            frozenset({"student", "id", "section"}),
            frozenset({"student", "id", "sis login id"}),
            frozenset({"id", "sis login id", "section"}),
            frozenset({"student", "id", "sectie"}),
            frozenset({"estudiante", "id", "sección"}),
        ),
        mark=re.compile(r"(?P<item>.+) \(\d+\)"),
        has_notes=True,
    ),
    Dialect(
        name="Brightspace grades",
        signs=(
            frozenset({"end-of-line indicator"}),
            frozenset({"orgdefinedid"}),
        ),
        mark=re.compile(
            r"(?P<item>.+?) (?:points grade|puntencijfer|calificación de puntos)"
            r"(?: ?<[^>]*?maxpoints:(?P<max>\d+(?:[.,]\d+)?)[^>]*>)?"
        ),
    ),
    Dialect(
        name="Blackboard grade centre",
        signs=(
            frozenset({"last name", "first name", "username"}),
            frozenset({"achternaam", "voornaam", "gebruikersnaam"}),
            frozenset({"familienaam", "voornaam", "gebruikersnaam"}),
            frozenset({"apellidos", "nombre", "nombre de usuario"}),
            frozenset({"apellido", "nombre", "nombre de usuario"}),
        ),
        mark=re.compile(
            r"(?P<item>.*?) ?\[[^\]\d]*?(?<!up to )(?<!tot )(?<!hasta )(?P<max>\d+(?:[.,]\d+)?)"
            r"(?![^\]]*te[kx]st?)[^\]]*\] ?\|\d+"
        ),
        feedback=(
            *("feedback to learner", "feedback to student", "feedback aan cursist"),
            *("feedback voor cursist", "feedback aan student"),
            *("comentarios para el alumno", "comentarios al alumno"),
        ),
        comma_words=frozenset({"gebruikersnaam", "nombre de usuario"}),
        empty=frozenset(
            {"needs grading", "in progress", "te beoordelen", "beoordeling vereist", "bezig"}
            | {"requiere calificación", "necesita calificación", "en curso"}
        ),
    ),
    Dialect(
        name="Dodona evaluation",
        signs=(frozenset({"email", "total score", "total max"}),),
        mark=re.compile(r"(?P<item>.+) score"),
        maxima=("{item} max",),
        trusts_names=False,
    ),
    Dialect(
        name="Gradescope grades",
        signs=(frozenset({"sid", "email"}),),
        mark=re.compile(
            r"(?!sections?$|.* - |max points$|status$|submission |view count$|total lateness)"
            r"(?P<item>[^:]+)"
        ),
        maxima=("{item} - max points", "max points"),
    ),
    Dialect(
        name="worksheet of your own",
        signs=(frozenset(),),
        mark=re.compile(
            rf"(?:{'|'.join(map(re.escape, sorted(MARKS)))})"
            r"(?: ?[(\[]? ?(?:/|op|out of|sobre) ?(?P<max>\d+(?:[.,]\d+)?)[)\]]?)?"
        ),
        feedback=tuple(sorted(FEEDBACK)),
        maxima=tuple(sorted(MAXIMA)),
        empty=_NO_GRADE,
    ),
)
