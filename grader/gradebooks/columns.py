"""What the columns of gradebooks are called, in the languages that platforms export them in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Final


@unique
class Key(StrEnum):
    """What a student is told apart by in a worksheet."""

    ID = "id"
    USER = "user"
    EMAIL = "email"
    NAME = "name"


@unique
class Part(StrEnum):
    """What a column holds of a student."""

    ID = "id"
    PARTICIPANT = "participant"
    """An id, perhaps behind a word: `Participant 12`."""
    USER = "user"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first"
    LAST = "last"

    @property
    def key(self) -> Key:
        """What it tells a student apart by."""
        match self:
            case Part.ID | Part.PARTICIPANT:
                return Key.ID
            case Part.USER:
                return Key.USER
            case Part.EMAIL:
                return Key.EMAIL
            case _:
                return Key.NAME


_PARTS: Final = {
    Part.PARTICIPANT: ("identifier", "identificatie", "identificador"),
    Part.ID: (
        *("id", "sis user id", "orgdefinedid", "org defined id", "sid", "user id"),
        *("id number", "idnumber", "student id", "student number", "student no"),
        *("id-nummer", "idnummer", "studentnummer", "student-id", "stamnummer", "rolnummer"),
        *("número de id", "identificador del estudiante", "id de estudiante", "id del estudiante"),
        *("matrícula", "número de matrícula", "legajo", "nº de alumno"),
    ),
    Part.USER: (
        *("username", "user name", "user", "login", "login id", "sis login id", "github username"),
        *("gebruikersnaam", "gebruiker", "naam gebruiker"),
        *("nombre de usuario", "usuario"),
    ),
    Part.EMAIL: (
        *("email", "e-mail", "email address", "e-mail address", "mail"),
        *("e-mailadres", "emailadres", "mailadres"),
        *("dirección de correo", "dirección de correo electrónico", "correo electrónico"),
        *("correo", "dirección email"),
    ),
    Part.NAME: (
        *("name", "names", "full name", "fullname", "full_name", "student", "student name"),
        *("naam", "volledige naam", "naam student"),
        *("nombre completo", "estudiante", "alumno", "alumna", "apellidos y nombre"),
    ),
    Part.FIRST: ("first name", "firstname", "first_name", "given name", "voornaam", "nombre"),
    Part.LAST: (
        *("last name", "lastname", "last_name", "surname", "family name"),
        *("achternaam", "familienaam", "apellido", "apellidos", "apellido(s)"),
    ),
}
PARTS: Final[Mapping[str, Part]] = {
    header: part for part, headers in _PARTS.items() for header in headers
}
"""What the column with each header, in small letters, holds of a student."""

MARKS: Final = frozenset(
    (
        *("grade", "mark", "score", "points", "result", "final grade", "total", "total score"),
        *("cijfer", "punt", "punten", "score", "resultaat", "beoordeling", "totaal", "quotering"),
        *("nota", "calificación", "puntos", "puntuación", "resultado", "nota final"),
    )
)
"""Headers, in small letters, of a mark in a worksheet of one's own."""
FEEDBACK: Final = frozenset(
    (
        *("feedback", "comment", "comments", "remark", "remarks"),
        *("commentaar", "opmerking", "opmerkingen", "toelichting"),
        *("comentario", "comentarios", "retroalimentación", "observaciones"),
    )
)
"""Headers, in small letters, of what is said about a mark."""
MAXIMA: Final = frozenset(
    (
        *("max", "maximum", "max score", "max points", "maximum grade", "out of", "total max"),
        *("maximum score", "maximumscore", "maximaal cijfer", "op"),
        *("máximo", "calificación máxima", "puntuación máxima", "sobre"),
    )
)
"""Headers, in small letters, of what a mark is out of."""
