"""The roster of a course: who is enrolled, under which ids and names.

It may be a platform's export, or a teacher's own table. Columns are recognized by their headings,
in the languages of the platforms. A person of a download is joined to a line if that is certain;
if two lines fit, or a name contradicts an id, the doubt is reported instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.files import SubmissionError, file_content
from grader.intake.lateness import own_deadline
from grader.intake.names import accented_words, forms, squeezed, words
from grader.intake.people import Person
from grader.intake.tables import MAX_TABLE_BYTES, numbered_rows
from grader.values.foreign_text import one_line

# The columns of such tables, by their headings in the languages of the platforms.


@unique
class Key(StrEnum):
    """The ways to identify a student in a table."""

    ID = "id"
    USER = "user"
    EMAIL = "email"
    NAME = "name"


@unique
class Part(StrEnum):
    """The content of a column about a student."""

    ID = "id"
    PARTICIPANT = "participant"
    """An id, perhaps after a word: `Participant 12`."""
    USER = "user"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first"
    LAST = "last"

    @property
    def key(self) -> Key:
        """The way it identifies a student."""
        match self:
            case Part.ID | Part.PARTICIPANT:
                return Key.ID
            case Part.USER:
                return Key.USER
            case Part.EMAIL:
                return Key.EMAIL
            case _:
                return Key.NAME


_HEADERS: Final = {
    Part.PARTICIPANT: "identifier identificatie identificador identifiant",
    Part.ID: "id sisuserid orgdefinedid sid userid idnumber studentid studentnumber studentno"
    " githubid idnummer studentnummer stamnummer rolnummer leerlingnummer numeroid numerodeid"
    " identificadordelestudiante idestudiante iddeestudiante iddelestudiante numerodeestudiante"
    " matricula numerodematricula legajo nodealumno dni nia niu matrikelnummer matrikelnr matrikel"
    " studierendennummer numerodidentification numeroetudiant numerodetudiant idetudiant"
    " codeetudiant identifiantetudiant identifiantdeletudiant matricule",
    Part.USER: "username user login loginid sisloginid netid githubusername gebruikersnaam"
    " gebruiker naamgebruiker inlognaam loginnaam usuario nombredeusuario nombreusuario"
    " benutzername benutzer anmeldename nutzername kennung nomdutilisateur nomutilisateur"
    " utilisateur identifiantdeconnexion",
    Part.EMAIL: "email mail emailaddress emailadres mailadres correo correoelectronico"
    " direcciondecorreo direcciondecorreoelectronico direcciondeemail direccionemail emailadresse"
    " mailadresse courriel adressedecourriel adressecourriel adresseelectronique adresseemail"
    " adressemail",
    Part.NAME: "name names fullname student studentname displayname naam volledigenaam naamstudent"
    " studentnaam nombrecompleto nombreyapellidos apellidosynombre apellidosynombres estudiante"
    " alumno alumna vollstandigername nameundvorname studierende studierender nom nomcomplet"
    " nometprenom prenometnom etudiant etudiante",
    Part.FIRST: "firstname givenname forename voornaam nombre nombres nombredepila vorname"
    " vornamen prenom prenoms",
    Part.LAST: "lastname surname familyname achternaam familienaam apellido apellidos nachname"
    " familienname nomdefamille",
}
_PARTS: Final[Mapping[str, Part]] = {
    header: part for part, headers in _HEADERS.items() for header in headers.split()
}
_NUMBERED: Final = re.compile(r"([^\W\d_]+(?:/[^\W\d_]+)?)( ?)([0-9]+)")
ANONYMOUS: Final = frozenset(
    {"participant", "deelnemer", "participante", "teilnehmer", "teilnehmer/in", "teilnehmerin"}
    | {"partecipante"}
)
"""The words for a student in anonymous downloads of platforms."""


def part_of(header: str) -> Part | None:
    """Return the content of the column with this `header`, None if it is not about a student."""
    return _PARTS.get(squeezed(header))


def numbered(text: str, part: Part) -> str:
    """Return the id after the word in `Participant 12` or `Deelnemer12`, else the whole text."""
    found = _NUMBERED.fullmatch(text)
    if found is None or part.key is not Key.ID:
        return text
    is_word = found[1].casefold() in ANONYMOUS or (found[2] and part is Part.PARTICIPANT)
    return found[3] if is_word else text


_NOBODY: Final = re.compile(
    r"\s*points possible\s*|student, test|test student|.*_previewuser.*", re.IGNORECASE
)
"""Lines of Canvas for maximum points, and for its test student."""
_ROLE: Final = frozenset({"role", "roles", "rol", "rollen"})
_ROLES_OF_STAFF: Final = (
    "instructor teacher editingteacher noneditingteacher ta teachingassistant grader observer"
    " manager designer coursebuilder docent lesgever leerkracht begeleider assistent titularis"
    " profesor profesora docente ayudante tutor monitor profesorsinpermisodeedicion"
)
_STAFF: Final = frozenset(_ROLES_OF_STAFF.split())
"""Roles of people in a course who hand in nothing."""
_DEADLINE: Final = frozenset(
    {"deadline", "frist", "abgabefrist", "plazo", "fechalimite", "echeance", "datelimite"}
)
_MIN_KEY_CHARS: Final = 3
_MIN_NUMBER_CHARS: Final = 5
"""The least length of an id that is only part of a file name: `yinyang_2` identifies nobody."""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """An enrolled person."""

    person: Person
    keys: frozenset[str]
    """All ids, user names and addresses, in lower case."""
    deadline: str | None = None
    """In place of the common one: a moment, or a number of days more."""


@dataclass(frozen=True, slots=True)
class _Joined:
    """The line that a person was joined to, or why there is none."""

    line: RosterLine | None = None
    is_sure: bool = False
    """Whether it was joined by an id, user name or address, rather than a name."""
    doubt: str | None = None
    lines: tuple[RosterLine, ...] = ()
    """The lines in doubt."""


@dataclass(frozen=True, slots=True)
class Roster:
    """The enrolled people, with indexes by key and by name."""

    lines: tuple[RosterLine, ...]
    _by_key: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)
    _by_name: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the indexes."""
        for line in self.lines:
            for key in map(_key, line.keys):
                self._by_key.setdefault(key, []).append(line)
            for name in set(forms(line.person.name or "")):
                self._by_name.setdefault(name, []).append(line)

    def joined(self, person: Person) -> _Joined:
        """Return the line for `person` if it is certain enough, else the doubt."""
        keys = [_key(key) for key in (person.id, person.user, person.email) if key]
        found = _distinct(line for key in keys for line in self._by_key.get(key, []))
        if len(found) > 1:
            return _doubted(found, f"{person.shown}: {len(found)} lines of the roster fit")
        if found:
            (line,) = found
            if _contradicts(person, line.person):
                called = line.person.shown
                return _doubted(found, f"{person.shown}: the roster calls her {called}")
            return _Joined(line, is_sure=True)
        return self._joined_by_name(person)

    def _joined_by_name(self, person: Person) -> _Joined:
        handle = _key(person.handle or "")
        found = _distinct(
            self._by_key.get(handle, [])
            or [line for way in forms(person.name or "") for line in self._by_name.get(way, [])]
            or self._by_name.get(squeezed(handle), [])
            or next(filter(None, map(self._by_key.get, _parts_of(handle))), [])
        )
        # Accents count if they distinguish two people.
        written = sorted(accented_words(person.name or ""))
        same = [line for line in found if sorted(accented_words(line.person.name or "")) == written]
        found = same if len(same) == 1 else found
        if len(found) > 1:
            return _doubted(
                found, f"{person.shown}: {len(found)} people of the roster are called so"
            )
        if not found:
            return _Joined()
        (line,) = found
        other = line.person.user
        if person.user and other and person.user.casefold() != other.casefold():
            shown = one_line(other)
            return _doubted(found, f"{person.shown}: the roster has the user name {shown}")
        return _Joined(line)


def _parts_of(handle: str) -> Iterator[str]:
    """Yield parts of a file name that may be an id, `uno-yinyang-an-na`: longest ends first."""
    cuts = [found.span() for found in re.finditer(r"[\s_-]+", handle)]
    parts = [handle[end:] for _, end in cuts] + [handle[:start] for start, _ in reversed(cuts)]
    for part in (*parts, *re.split("[_ ]", handle)):
        if len(part) >= (_MIN_NUMBER_CHARS if part.isdecimal() else _MIN_KEY_CHARS):
            yield _key(part)


def _doubted(lines: Iterable[RosterLine], doubt: str) -> _Joined:
    return _Joined(doubt=doubt, lines=tuple(lines))


def merged(person: Person, line: RosterLine) -> Person:
    """Return `person` with missing facts from the roster."""
    told = line.person
    # A platform may drop characters that are not letters: `OBrien`.
    is_handle = person.name in {None, person.handle} or (
        "".join(accented_words(person.name or "")) == "".join(accented_words(told.name or ""))
    )
    return replace(
        person,
        name=(told.name or person.name) if is_handle else person.name,
        user=person.user or told.user,
        id=person.id or told.id,
        email=person.email or told.email,
    )


def read_roster(path: Path) -> Roster:
    """Return the roster in the file `path`; raises `UsageError` if it is none."""
    shown = one_line(str(path))
    try:
        rows = numbered_rows(file_content(str(path.resolve()), path.name)(MAX_TABLE_BYTES))
    except (SubmissionError, OSError):
        raise UsageError(f"cannot read the roster {shown}") from None
    except ValueError as error:
        raise UsageError(f"{shown} is not a roster: {one_line(str(error))}") from error
    headers = rows[0][1] if rows else []
    parts = _parts(headers)
    if not any(parts):
        raise UsageError(
            f"{shown} is not a roster: no heading in its first line is known",
            help="name the columns: id, username, email, name, or first name and last name",
        )
    role = next((at for at, header in enumerate(headers) if squeezed(header) in _ROLE), None)
    own = _deadline_column(headers, shown)
    lines = list[RosterLine]()
    for number, row in rows[1:]:
        line = None if _is_staff(row, role) else _line(zip(parts, row, strict=False))
        if line is not None:
            cell = row[own] if own is not None and own < len(row) else ""
            lines.append(replace(line, deadline=_deadline(cell, f"line {number} of {shown}")))
    return Roster(tuple(lines))


def _deadline_column(headers: Sequence[str], shown: str) -> int | None:
    found = [at for at, header in enumerate(headers) if squeezed(header) in _DEADLINE]
    if len(found) > 1:
        raise UsageError(
            f"{shown} has {len(found)} columns of deadlines",
            help="keep one, and give the others another heading",
        )
    return found[0] if found else None


def _deadline(cell: str, where: str) -> str | None:
    try:
        return own_deadline(cell) if cell else None
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", help=error.help) from None


def _parts(headers: Sequence[str]) -> list[Part | None]:
    """Return the content of each column; GitHub's `identifier` is a name that teachers choose."""
    parts = [part_of(header) for header in headers]
    if "githubusername" not in map(squeezed, headers):
        return parts
    return [Part.NAME if part is Part.PARTICIPANT else part for part in parts]


def _is_staff(row: Sequence[str], role: int | None) -> bool:
    """Return whether the person in `row` has only roles of staff."""
    told = row[role] if role is not None and role < len(row) else ""
    return bool(told) and all(squeezed(each) in _STAFF for each in re.split("[,;/]", told))


def _line(cells: Iterable[tuple[Part | None, str]]) -> RosterLine | None:
    facts: dict[Part, str] = {}
    keys: set[str] = set()
    for part, cell in cells:
        if part is None or not cell:
            continue
        value = numbered(cell.lstrip("#"), part)  # Brightspace puts `#` before ids
        facts.setdefault(Part.ID if part is Part.PARTICIPANT else part, value)
        if part.key is not Key.NAME:
            keys.add(value.casefold())
    first, name = facts.get(Part.FIRST, ""), facts.get(Part.NAME, "")
    if first and Part.LAST not in facts and not set(words(first)) <= set(words(name)):
        facts[Part.LAST] = facts.pop(Part.NAME, "")  # `Naam` is the last name beside `Voornaam`
    called = facts.get(Part.NAME) or f"{first} {facts.get(Part.LAST, '')}".strip()
    if not called and " " in facts.get(Part.ID, ""):  # the ids are names
        called = facts[Part.ID]
    if not facts or _NOBODY.fullmatch(called) or _NOBODY.fullmatch(facts.get(Part.USER, "")):
        return None
    family, comma, given = called.partition(", ")
    person = Person(
        name=(f"{given} {family}" if comma else called) or None,
        user=facts.get(Part.USER),
        id=facts.get(Part.ID),
        email=facts.get(Part.EMAIL),
    )
    return RosterLine(person, frozenset(keys))


def _key(text: str) -> str:
    """Return an id to compare, without case and leading zeros, which spreadsheets change."""
    return text.casefold().lstrip("0") if text.isdecimal() else text.casefold()


def _contradicts(person: Person, other: Person) -> bool:
    """Return whether both have names without a common word."""
    mine, theirs = (frozenset(words(each.name or "")) for each in (person, other))
    return bool(mine and theirs) and not mine & theirs and person.name != person.handle


def _distinct(lines: Iterable[RosterLine]) -> list[RosterLine]:
    return list({id(line): line for line in lines}.values())
