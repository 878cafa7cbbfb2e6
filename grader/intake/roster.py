"""The roster of a course: who is enrolled, with which ids and names.

A roster is a platform's export or a teacher's own table. Columns are recognised by their headings,
in the languages of the platforms. A person in a download is joined to a line only if the match is
certain. If two lines match, or a name contradicts an id, the doubt is reported instead.
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
from grader.intake.lateness import normalize_own_deadline
from grader.intake.names import accented_words, name_rotations, squeeze, words
from grader.intake.people import Person
from grader.intake.tables import MAX_TABLE_BYTES, numbered_rows, unreadable_reason
from grader.values.foreign_text import one_line

# The columns of rosters, recognised by their headings in the languages of the platforms.


@unique
class Key(StrEnum):
    """A way to identify a student in a table."""

    ID = "id"
    USER = "user"
    EMAIL = "email"
    NAME = "name"


@unique
class Column(StrEnum):
    """What a column of a table contains about a student."""

    ID = "id"
    PARTICIPANT = "participant"
    """An id that can follow a word, as in `Participant 12`."""
    USER = "user"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first"
    LAST = "last"

    @property
    def key(self) -> Key:
        """How the column identifies a student."""
        match self:
            case Column.ID | Column.PARTICIPANT:
                return Key.ID
            case Column.USER:
                return Key.USER
            case Column.EMAIL:
                return Key.EMAIL
            case _:
                return Key.NAME


_HEADERS: Final = {
    Column.PARTICIPANT: "identifier identificatie identificador identifiant",
    Column.ID: "id sisuserid orgdefinedid sid userid idnumber studentid studentnumber studentno"
    " githubid idnummer studentnummer stamnummer rolnummer leerlingnummer numeroid numerodeid"
    " identificadordelestudiante idestudiante iddeestudiante iddelestudiante numerodeestudiante"
    " matricula numerodematricula legajo nodealumno dni nia niu matrikelnummer matrikelnr matrikel"
    " studierendennummer numerodidentification numeroetudiant numerodetudiant idetudiant"
    " codeetudiant identifiantetudiant identifiantdeletudiant matricule",
    Column.USER: "username user login loginid sisloginid netid githubusername gebruikersnaam"
    " gebruiker naamgebruiker inlognaam loginnaam usuario nombredeusuario nombreusuario"
    " benutzername benutzer anmeldename nutzername kennung nomdutilisateur nomutilisateur"
    " utilisateur identifiantdeconnexion",
    Column.EMAIL: "email mail emailaddress emailadres mailadres correo correoelectronico"
    " direcciondecorreo direcciondecorreoelectronico direcciondeemail direccionemail emailadresse"
    " mailadresse courriel adressedecourriel adressecourriel adresseelectronique adresseemail"
    " adressemail",
    Column.NAME: "name names fullname student studentname displayname naam volledigenaam"
    " naamstudent studentnaam nombrecompleto nombreyapellidos apellidosynombre"
    " apellidosynombres estudiante alumno alumna vollstandigername nameundvorname studierende"
    " studierender nom nomcomplet nometprenom prenometnom etudiant etudiante",
    Column.FIRST: "firstname givenname forename voornaam nombre nombres nombredepila vorname"
    " vornamen prenom prenoms",
    Column.LAST: "lastname surname familyname achternaam familienaam apellido apellidos nachname"
    " familienname nomdefamille",
}
_COLUMN_OF_HEADER: Final[Mapping[str, Column]] = {
    header: column for column, headers in _HEADERS.items() for header in headers.split()
}
_WORD_AND_NUMBER: Final = re.compile(r"([^\W\d_]+(?:/[^\W\d_]+)?)( ?)([0-9]+)")
ANONYMOUS_WORDS: Final = frozenset(
    {"participant", "deelnemer", "participante", "teilnehmer", "teilnehmer/in", "teilnehmerin"}
    | {"partecipante"}
)
"""The words that platforms put before an id in anonymous downloads, in their languages."""


def column_content(header: str) -> Column | None:
    """Return what the column with this `header` contains, or None if the header is unknown."""
    return _COLUMN_OF_HEADER.get(squeeze(header))


def without_id_word(text: str, column: Column) -> str:
    """Return `text` without the word before an id, as in `Participant 12` or `Deelnemer12`."""
    match = _WORD_AND_NUMBER.fullmatch(text)
    if match is None or column.key is not Key.ID:
        return text
    is_word = match[1].casefold() in ANONYMOUS_WORDS or (match[2] and column is Column.PARTICIPANT)
    return match[3] if is_word else text


_NOT_A_STUDENT: Final = re.compile(
    r"\s*points possible\s*|student, test|test student|.*_previewuser.*", re.IGNORECASE
)
"""Names in the lines for Canvas's maximum points and test student."""
_ROLE_HEADERS: Final = frozenset({"role", "roles", "rol", "rollen"})
_ROLES_OF_STAFF: Final = (
    "instructor teacher editingteacher noneditingteacher ta teachingassistant grader observer"
    " manager designer coursebuilder docent lesgever leerkracht begeleider assistent titularis"
    " profesor profesora docente ayudante tutor monitor profesorsinpermisodeedicion"
)
_STAFF: Final = frozenset(_ROLES_OF_STAFF.split())
"""Roles of people in a course who do not hand in work."""
_DEADLINE_HEADERS: Final = frozenset(
    {"deadline", "frist", "abgabefrist", "plazo", "fechalimite", "echeance", "datelimite"}
)
_MIN_KEY_CHARS: Final = 3
_MIN_NUMBER_CHARS: Final = 5
"""The minimum length of a numeric id within a file name: the 2 in `yinyang_2` is not an id."""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """A line of the roster: one enrolled person."""

    person: Person
    keys: frozenset[str]
    """All ids, user names and addresses, in lower case."""
    deadline: str | None = None
    """The person's own deadline: a date and time, or a number of extra days."""


@dataclass(frozen=True, slots=True)
class _Match:
    """The line that a person was joined to, or the doubt that prevented it, if any line fits."""

    line: RosterLine | None = None
    is_sure: bool = False
    """Whether the person was joined by id, user name or address, rather than by name."""
    doubt: str | None = None
    lines: tuple[RosterLine, ...] = ()
    """The lines that might be the person's."""


@dataclass(frozen=True, slots=True)
class Roster:
    """The enrolled people, indexed by key and by name."""

    lines: tuple[RosterLine, ...]
    _by_key: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)
    _by_name: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the indexes."""
        for line in self.lines:
            for key in map(_normalize_key, line.keys):
                self._by_key.setdefault(key, []).append(line)
            for rotation in set(name_rotations(line.person.name or "")):
                self._by_name.setdefault(rotation, []).append(line)

    def match(self, person: Person) -> _Match:
        """Return the match for `person`: a line if it is certain enough, a doubt, or neither.

        Ids, user names and addresses are tried before names.
        """
        keys = [_normalize_key(key) for key in (person.id, person.user, person.email) if key]
        lines = _distinct_lines(line for key in keys for line in self._by_key.get(key, []))
        if len(lines) > 1:
            return _doubtful_match(lines, f"{person.short_name}: {len(lines)} roster lines match")
        if lines:
            (line,) = lines
            if _contradicts(person, line.person):
                listed_name = line.person.short_name
                return _doubtful_match(
                    lines, f"{person.short_name}: the roster has another name, {listed_name}"
                )
            return _Match(line, is_sure=True)
        return self._match_by_name(person)

    def _match_by_name(self, person: Person) -> _Match:
        """Return the match for `person` by file name or name: a line, a doubt, or neither."""
        handle = _normalize_key(person.handle or "")
        lines = _distinct_lines(
            self._by_key.get(handle, [])
            or [
                line
                for rotation in name_rotations(person.name or "")
                for line in self._by_name.get(rotation, [])
            ]
            or self._by_name.get(squeeze(handle), [])
            or next(filter(None, map(self._by_key.get, _id_candidates(handle))), [])
        )
        # Accents count if they distinguish two people.
        exact_words = sorted(accented_words(person.name or ""))
        exact = [
            line for line in lines if sorted(accented_words(line.person.name or "")) == exact_words
        ]
        lines = exact if len(exact) == 1 else lines
        if len(lines) > 1:
            return _doubtful_match(
                lines, f"{person.short_name}: {len(lines)} people in the roster have this name"
            )
        if not lines:
            return _Match()
        (line,) = lines
        listed_user = line.person.user
        if person.user and listed_user and person.user.casefold() != listed_user.casefold():
            shown_user = one_line(listed_user)
            return _doubtful_match(
                lines, f"{person.short_name}: the roster has another user name, {shown_user}"
            )
        return _Match(line)


def _id_candidates(handle: str) -> Iterator[str]:
    """Yield the parts of a file name such as `uno-yinyang-an-na` that might be an id.

    The longest endings come first, then the longest beginnings, then single parts.
    """
    separators = [separator.span() for separator in re.finditer(r"[\s_-]+", handle)]
    parts = [handle[end:] for _, end in separators] + [
        handle[:start] for start, _ in reversed(separators)
    ]
    for part in (*parts, *re.split("[_ ]", handle)):
        if len(part) >= (_MIN_NUMBER_CHARS if part.isdecimal() else _MIN_KEY_CHARS):
            yield _normalize_key(part)


def _doubtful_match(lines: Iterable[RosterLine], doubt: str) -> _Match:
    return _Match(doubt=doubt, lines=tuple(lines))


def fill_from_roster(person: Person, line: RosterLine) -> Person:
    """Return `person` with missing details filled in from the roster `line`.

    A name that is only a file name, or has the same letters as the listed name, is replaced.
    """
    listed = line.person
    # A platform might drop characters that are not letters, as in `OBrien`.
    uses_listed_name = person.name in {None, person.handle} or (
        "".join(accented_words(person.name or "")) == "".join(accented_words(listed.name or ""))
    )
    return replace(
        person,
        name=(listed.name or person.name) if uses_listed_name else person.name,
        user=person.user or listed.user,
        id=person.id or listed.id,
        email=person.email or listed.email,
    )


def read_roster(path: Path) -> Roster:
    """Read the roster in the file `path`.

    Raises `UsageError` if it cannot be read, is not a roster, or has an invalid deadline.
    """
    shown_path = one_line(str(path))
    try:
        rows = numbered_rows(file_content(str(path.resolve()), path.name)(MAX_TABLE_BYTES))
    except (SubmissionError, OSError) as error:
        raise UsageError(
            f"cannot read the roster {shown_path}: {unreadable_reason(error)}",
            help="check that it is a readable file, and not larger than"
            f" {MAX_TABLE_BYTES // 1024**2} MiB",
        ) from None
    except ValueError as error:
        raise UsageError(
            f"{shown_path} is not a roster: {one_line(str(error))}",
            help="save it as CSV, with the names of the columns in the first line, and one student"
            " on each line below",
        ) from error
    headers = rows[0][1] if rows else []
    columns = _column_contents(headers)
    if not any(columns):
        raise UsageError(
            f"{shown_path} is not a roster: its first line has no known column heading",
            help="name the columns: id, username, email, name, or first name and last name",
        )
    role_column = next(
        (index for index, header in enumerate(headers) if squeeze(header) in _ROLE_HEADERS), None
    )
    deadline_column = _find_deadline_column(headers, shown_path)
    lines = list[RosterLine]()
    for number, row in rows[1:]:
        line = None if _is_staff(row, role_column) else _parse_line(zip(columns, row, strict=False))
        if line is not None:
            cell = _cell_at(row, deadline_column)
            place = f"line {number} of {shown_path}"
            lines.append(replace(line, deadline=_parse_deadline(cell, place)))
    return Roster(tuple(lines))


def _find_deadline_column(headers: Sequence[str], shown_path: str) -> int | None:
    """Return the index of the deadline column, if any; raises `UsageError` if there are several."""
    columns = [
        index for index, header in enumerate(headers) if squeeze(header) in _DEADLINE_HEADERS
    ]
    if len(columns) > 1:
        raise UsageError(
            f"the roster {shown_path} has {len(columns)} deadline columns",
            help="keep one of them, and rename or remove the others",
        )
    return columns[0] if columns else None


def _parse_deadline(cell: str, place: str) -> str | None:
    try:
        return normalize_own_deadline(cell) if cell else None
    except UsageError as error:
        raise UsageError(f"{place}: {error.message}", help=error.help) from None


def _column_contents(headers: Sequence[str]) -> list[Column | None]:
    """Return what each column contains, or None for a column whose header is unknown.

    In a GitHub roster, `identifier` is a name chosen by the teacher.
    """
    columns = [column_content(header) for header in headers]
    if "githubusername" not in map(squeeze, headers):
        return columns
    return [Column.NAME if column is Column.PARTICIPANT else column for column in columns]


def _cell_at(row: Sequence[str], column: int | None) -> str:
    """Return the cell in the `column` with this index; empty if the row is shorter."""
    return row[column] if column is not None and column < len(row) else ""


def _is_staff(row: Sequence[str], role_column: int | None) -> bool:
    """Return whether the person in `row` has only staff roles."""
    roles = _cell_at(row, role_column)
    return bool(roles) and all(squeeze(title) in _STAFF for title in re.split("[,;/]", roles))


def _parse_line(cells: Iterable[tuple[Column | None, str]]) -> RosterLine | None:
    """Return the roster line for a row of `cells`, or None if it does not describe a student."""
    facts: dict[Column, str] = {}
    keys: set[str] = set()
    for column, cell in cells:
        if column is None or not cell:
            continue
        value = without_id_word(cell.lstrip("#"), column)  # Brightspace puts `#` before ids
        facts.setdefault(Column.ID if column is Column.PARTICIPANT else column, value)
        if column.key is not Key.NAME:
            keys.add(value.casefold())
    first, name = facts.get(Column.FIRST, ""), facts.get(Column.NAME, "")
    if first and Column.LAST not in facts and not set(words(first)) <= set(words(name)):
        # `Naam` is the last name if there is also a `Voornaam`.
        facts[Column.LAST] = facts.pop(Column.NAME, "")
    full_name = facts.get(Column.NAME) or f"{first} {facts.get(Column.LAST, '')}".strip()
    if not full_name and " " in facts.get(Column.ID, ""):  # the id is a name
        full_name = facts[Column.ID]
    if (
        not facts
        or _NOT_A_STUDENT.fullmatch(full_name)
        or _NOT_A_STUDENT.fullmatch(facts.get(Column.USER, ""))
    ):
        return None
    last_name, comma, given_name = full_name.partition(", ")
    person = Person(
        name=(f"{given_name} {last_name}" if comma else full_name) or None,
        user=facts.get(Column.USER),
        id=facts.get(Column.ID),
        email=facts.get(Column.EMAIL),
    )
    return RosterLine(person, frozenset(keys))


def _normalize_key(text: str) -> str:
    """Normalize a key for comparison, because spreadsheets change case and drop leading zeros."""
    return text.casefold().lstrip("0") if text.isdecimal() else text.casefold()


def _contradicts(person: Person, listed: Person) -> bool:
    """Return whether `person` and `listed` both have a name, but the names share no word.

    A name that is only the name of a file contradicts nothing.
    """
    person_words = frozenset(words(person.name or ""))
    listed_words = frozenset(words(listed.name or ""))
    have_names = bool(person_words and listed_words)
    return have_names and not person_words & listed_words and person.name != person.handle


def _distinct_lines(lines: Iterable[RosterLine]) -> list[RosterLine]:
    return list({id(line): line for line in lines}.values())
