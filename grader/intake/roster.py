"""The roster of a course: who is enrolled, under which ids and names.

It may be a platform's export, or a teacher's own table. Columns are recognized by their headings,
in the languages of the platforms. A person of a download is joined to a line if the match is
certain; if two lines match, or a name contradicts an id, the doubt is reported instead.
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
        """The way in which the column identifies a student."""
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
_WORD_AND_NUMBER: Final = re.compile(r"([^\W\d_]+(?:/[^\W\d_]+)?)( ?)([0-9]+)")
ANONYMOUS: Final = frozenset(
    {"participant", "deelnemer", "participante", "teilnehmer", "teilnehmer/in", "teilnehmerin"}
    | {"partecipante"}
)
"""The words for a student in anonymous downloads of platforms."""


def part_of(header: str) -> Part | None:
    """Return the content of the column with this `header`, None if it is not about a student."""
    return _PARTS.get(squeezed(header))


def numbered(text: str, part: Part) -> str:
    """Return the id after the word in `Participant 12` or `Deelnemer12`, or else the whole text."""
    found = _WORD_AND_NUMBER.fullmatch(text)
    if found is None or part.key is not Key.ID:
        return text
    is_word = found[1].casefold() in ANONYMOUS or (found[2] and part is Part.PARTICIPANT)
    return found[3] if is_word else text


_NOBODY: Final = re.compile(
    r"\s*points possible\s*|student, test|test student|.*_previewuser.*", re.IGNORECASE
)
"""Lines in which Canvas has the maximum points, and its test student."""
_ROLE_HEADERS: Final = frozenset({"role", "roles", "rol", "rollen"})
_ROLES_OF_STAFF: Final = (
    "instructor teacher editingteacher noneditingteacher ta teachingassistant grader observer"
    " manager designer coursebuilder docent lesgever leerkracht begeleider assistent titularis"
    " profesor profesora docente ayudante tutor monitor profesorsinpermisodeedicion"
)
_STAFF: Final = frozenset(_ROLES_OF_STAFF.split())
"""Roles of people in a course who do not hand in anything."""
_DEADLINE_HEADERS: Final = frozenset(
    {"deadline", "frist", "abgabefrist", "plazo", "fechalimite", "echeance", "datelimite"}
)
_MIN_KEY_CHARS: Final = 3
_MIN_NUMBER_CHARS: Final = 5
"""The minimum length of an id that is only part of a file name: `yinyang_2` identifies nobody."""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """An enrolled person."""

    person: Person
    keys: frozenset[str]
    """All ids, user names and addresses, in lower case."""
    deadline: str | None = None
    """In place of the common deadline: a moment, or a number of extra days."""


@dataclass(frozen=True, slots=True)
class _Match:
    """The line that a person was joined to, or the reason why not."""

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

    def match(self, person: Person) -> _Match:
        """Return the line for `person` if the match is certain enough, or else the doubt."""
        keys = [_key(key) for key in (person.id, person.user, person.email) if key]
        found = _distinct(line for key in keys for line in self._by_key.get(key, []))
        if len(found) > 1:
            return _in_doubt(found, f"{person.shown}: {len(found)} lines of the roster fit")
        if found:
            (line,) = found
            if _contradicts(person, line.person):
                listed_name = line.person.shown
                return _in_doubt(found, f"{person.shown}: the roster calls her {listed_name}")
            return _Match(line, is_sure=True)
        return self._match_by_name(person)

    def _match_by_name(self, person: Person) -> _Match:
        """Return the line for `person` by file name or name, or else the doubt."""
        handle = _key(person.handle or "")
        found = _distinct(
            self._by_key.get(handle, [])
            or [line for form in forms(person.name or "") for line in self._by_name.get(form, [])]
            or self._by_name.get(squeezed(handle), [])
            or next(filter(None, map(self._by_key.get, _id_candidates(handle))), [])
        )
        # Accents count if they distinguish two people.
        exact_words = sorted(accented_words(person.name or ""))
        exact = [
            line for line in found if sorted(accented_words(line.person.name or "")) == exact_words
        ]
        found = exact if len(exact) == 1 else found
        if len(found) > 1:
            return _in_doubt(
                found, f"{person.shown}: {len(found)} people of the roster are called so"
            )
        if not found:
            return _Match()
        (line,) = found
        other = line.person.user
        if person.user and other and person.user.casefold() != other.casefold():
            shown = one_line(other)
            return _in_doubt(found, f"{person.shown}: the roster has the user name {shown}")
        return _Match(line)


def _id_candidates(handle: str) -> Iterator[str]:
    """Yield parts of a file name that may be an id, `uno-yinyang-an-na`: longest ends first."""
    separators = [separator.span() for separator in re.finditer(r"[\s_-]+", handle)]
    parts = [handle[end:] for _, end in separators] + [
        handle[:start] for start, _ in reversed(separators)
    ]
    for part in (*parts, *re.split("[_ ]", handle)):
        if len(part) >= (_MIN_NUMBER_CHARS if part.isdecimal() else _MIN_KEY_CHARS):
            yield _key(part)


def _in_doubt(lines: Iterable[RosterLine], doubt: str) -> _Match:
    return _Match(doubt=doubt, lines=tuple(lines))


def merged(person: Person, line: RosterLine) -> Person:
    """Return `person` with missing facts from the roster."""
    listed = line.person
    # A platform may drop characters that are not letters: `OBrien`.
    is_handle = person.name in {None, person.handle} or (
        "".join(accented_words(person.name or "")) == "".join(accented_words(listed.name or ""))
    )
    return replace(
        person,
        name=(listed.name or person.name) if is_handle else person.name,
        user=person.user or listed.user,
        id=person.id or listed.id,
        email=person.email or listed.email,
    )


def read_roster(path: Path) -> Roster:
    """Return the roster in the file `path`; raises `UsageError` if it is not a roster."""
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
    role_column = next(
        (index for index, header in enumerate(headers) if squeezed(header) in _ROLE_HEADERS), None
    )
    deadline_column = _deadline_column(headers, shown)
    lines = list[RosterLine]()
    for number, row in rows[1:]:
        line = None if _is_staff(row, role_column) else _line(zip(parts, row, strict=False))
        if line is not None:
            cell = (
                row[deadline_column]
                if deadline_column is not None and deadline_column < len(row)
                else ""
            )
            lines.append(replace(line, deadline=_deadline(cell, f"line {number} of {shown}")))
    return Roster(tuple(lines))


def _deadline_column(headers: Sequence[str], shown: str) -> int | None:
    columns = [
        index for index, header in enumerate(headers) if squeezed(header) in _DEADLINE_HEADERS
    ]
    if len(columns) > 1:
        raise UsageError(
            f"{shown} has {len(columns)} columns of deadlines",
            help="keep one, and give the others another heading",
        )
    return columns[0] if columns else None


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
    roles = row[role] if role is not None and role < len(row) else ""
    return bool(roles) and all(squeezed(each) in _STAFF for each in re.split("[,;/]", roles))


def _line(cells: Iterable[tuple[Part | None, str]]) -> RosterLine | None:
    """Return the line for a row of `cells`, None if it is not about a student."""
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
        facts[Part.LAST] = facts.pop(
            Part.NAME, ""
        )  # `Naam` is the last name if there is a `Voornaam`
    full_name = facts.get(Part.NAME) or f"{first} {facts.get(Part.LAST, '')}".strip()
    if not full_name and " " in facts.get(Part.ID, ""):  # the ids are names
        full_name = facts[Part.ID]
    if not facts or _NOBODY.fullmatch(full_name) or _NOBODY.fullmatch(facts.get(Part.USER, "")):
        return None
    last_name, comma, given_name = full_name.partition(", ")
    person = Person(
        name=(f"{given_name} {last_name}" if comma else full_name) or None,
        user=facts.get(Part.USER),
        id=facts.get(Part.ID),
        email=facts.get(Part.EMAIL),
    )
    return RosterLine(person, frozenset(keys))


def _key(text: str) -> str:
    """Return an id in the form that is compared: spreadsheets change case and leading zeros."""
    return text.casefold().lstrip("0") if text.isdecimal() else text.casefold()


def _contradicts(person: Person, other: Person) -> bool:
    """Return whether both have names, but without a common word."""
    words_of_person, words_of_other = (
        frozenset(words(each.name or "")) for each in (person, other)
    )
    return (
        bool(words_of_person and words_of_other)
        and not words_of_person & words_of_other
        and person.name != person.handle
    )


def _distinct(lines: Iterable[RosterLine]) -> list[RosterLine]:
    return list({id(line): line for line in lines}.values())
