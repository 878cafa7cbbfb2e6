"""The table of a course: who is enrolled, under which ids and names.

It may be the list that a platform exports, or one of a teacher's own. Columns are known by their
headings, in the languages of the platforms. A person of a download is joined to a line where that
is sure; where two lines fit, or a name contradicts an id, it is told and not done.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.files import SubmissionError, file_content
from grader.intake.people import Person
from grader.intake.tables import MAX_TABLE_BYTES, read_table
from grader.values.display import one_line

_HEADINGS: Final[Mapping[str, str]] = {
    "id": "id|orgdefinedid|studentid|studentnumber|studentno|sid|sisuserid|idnumber|identifier"
    "|userid|githubid|studentnummer|stamnummer|idnummer|identificatie|leerlingnummer|identificador"
    "|numerodeid|numeroid|idestudiante|iddeestudiante|iddelestudiante|matricula|numerodeestudiante"
    "|dni|nia|niu",
    "user": "username|user|login|loginid|sisloginid|netid|githubusername|gebruikersnaam|gebruiker"
    "|inlognaam|loginnaam|usuario|nombredeusuario|nombreusuario",
    "email": "email|mail|emailaddress|emailadres|mailadres|correo|correoelectronico"
    "|direcciondecorreo|direcciondecorreoelectronico|direcciondeemail|direccionemail",
    "name": "name|fullname|student|studentname|displayname|naam|volledigenaam|studentnaam"
    "|nombrecompleto|nombreyapellidos|apellidosynombre|apellidosynombres|estudiante|alumno",
    "first": "firstname|givenname|forename|voornaam|nombre|nombres|nombredepila",
    "last": "lastname|surname|familyname|achternaam|familienaam|apellidos|apellido|apellidoss",
}
_FIELD_OF: Final = {word: name for name, words in _HEADINGS.items() for word in words.split("|")}
_NOBODY: Final = re.compile(
    r"\s*points possible\s*|student, test|test student|.*_previewuser.*", re.IGNORECASE
)
"""A line of Canvas that is about points, and its student for trying things."""
_NUMBER_AT_END: Final = re.compile(r"[^\W\d_]+ (\d+)")
"""`Participant 123`: what comes before the id is in the language of the teacher."""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """Somebody who is enrolled."""

    person: Person
    keys: frozenset[str]
    """All ids, user names and addresses, in small letters."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The line that a person was joined to, or why there is none."""

    line: RosterLine | None = None
    is_sure: bool = False
    """Whether an id, a user name or an address says so, rather than a name."""
    doubt: str | None = None
    lines: tuple[RosterLine, ...] = ()
    """Those that are in doubt."""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who is enrolled."""

    lines: tuple[RosterLine, ...]
    _by_key: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)
    _by_name: dict[str, list[RosterLine]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the ways to find a line."""
        for line in self.lines:
            for key in map(_key, line.keys):
                self._by_key.setdefault(key, []).append(line)
            for name in _ways_to_write(line.person):
                self._by_name.setdefault(name, []).append(line)

    def joined(self, person: Person) -> Joined:
        """Return the line that is about `person`, where that is sure enough."""
        keys = [_key(key) for key in (person.id, person.user, person.email) if key]
        found = _distinct(line for key in keys for line in self._by_key.get(key, []))
        if len(found) > 1:
            return _doubted(found, f"{_shown(person)}: {len(found)} lines of the roster fit")
        if found:
            (line,) = found
            if _contradicts(person, line.person):
                called = _shown(line.person)
                return _doubted(found, f"{_shown(person)}: the roster calls her {called}")
            return Joined(line, is_sure=True)
        return self._joined_by_name(person)

    def _joined_by_name(self, person: Person) -> Joined:
        handle = _key(person.handle or "")
        found = _distinct(
            self._by_key.get(handle, [])
            or [line for way in _ways_to_write(person) for line in self._by_name.get(way, [])]
            or self._by_name.get(_bare(handle), [])
            or [line for part in handle.split("_") for line in self._by_key.get(part, [])]
        )
        # Where accents tell two people apart, they count.
        same = [line for line in found if sorted(_letters(line.person)) == sorted(_letters(person))]
        found = same if len(same) == 1 else found
        if len(found) > 1:
            return _doubted(
                found, f"{_shown(person)}: {len(found)} people of the roster are called so"
            )
        if not found:
            return Joined()
        (line,) = found
        other = line.person.user
        if person.user and other and person.user.casefold() != other.casefold():
            shown = one_line(other)
            return _doubted(found, f"{_shown(person)}: the roster has the user name {shown}")
        return Joined(line)


def _doubted(lines: Iterable[RosterLine], doubt: str) -> Joined:
    return Joined(doubt=doubt, lines=tuple(lines))


def merged(person: Person, line: RosterLine) -> Person:
    """Return `person` with what the roster knows besides."""
    told = line.person
    # A platform may leave out what is no letter: `OBrien`.
    is_handle = person.name in {None, person.handle} or (
        "".join(_letters(person)) == "".join(_letters(told))
    )
    return replace(
        person,
        name=(told.name or person.name) if is_handle else person.name,
        user=person.user or told.user,
        id=person.id or told.id,
        email=person.email or told.email,
    )


def read_roster(path: Path) -> Roster:
    """Return the roster in the file `path`; raises `UsageError` where it is none."""
    shown = one_line(str(path))
    try:
        rows = read_table(file_content(str(path.resolve()), path.name)(MAX_TABLE_BYTES))
    except (SubmissionError, OSError):
        raise UsageError(f"cannot read the roster {shown}") from None
    except ValueError as error:
        raise UsageError(f"{shown} is no roster: {one_line(str(error))}") from error
    header = _header(rows[0]) if rows else []
    if not any(header):
        raise UsageError(
            f"{shown} is no roster: no heading in its first line is known",
            help="name the columns: id, username, email, name, or first name and last name",
        )
    lines = (_line(list(zip(header, row, strict=False))) for row in rows[1:])
    return Roster(tuple(line for line in lines if line is not None))


def _header(cells: Iterable[str]) -> list[str | None]:
    """Return what each column has; what GitHub calls an identifier is how a teacher calls her."""
    words = [_bare(cell) for cell in cells]
    fields = _FIELD_OF | ({"identifier": "name"} if "githubusername" in words else {})
    return [fields.get(word) for word in words]


def _line(cells: list[tuple[str | None, str]]) -> RosterLine | None:
    facts: dict[str, str] = {}
    keys: set[str] = set()
    for name, cell in cells:
        if name is None or not cell:
            continue
        told = _NUMBER_AT_END.fullmatch(cell) if name == "id" else None
        value = told[1] if told else cell.lstrip("#")
        facts.setdefault(name, value)
        if name in {"id", "user", "email"}:
            keys.add(value.casefold())
    called = facts.get("name") or " ".join(
        facts[part] for part in ("first", "last") if part in facts
    )
    if not called and " " in facts.get("id", ""):  # what tells students apart is their names
        called = facts["id"]
    if not facts or _NOBODY.fullmatch(called) or _NOBODY.fullmatch(facts.get("user", "")):
        return None
    last, comma, first = called.partition(", ")
    person = Person(
        name=(f"{first} {last}" if comma else called) or None,
        user=facts.get("user"),
        id=facts.get("id"),
        email=facts.get("email"),
    )
    return RosterLine(person, frozenset(keys))


def _ways_to_write(person: Person) -> Iterator[str]:
    """Yield the name of `person` for comparing: first or last name first, without blanks."""
    words = re.findall(r"[^\W_]+", _plain(person.name or ""))
    yield from {"".join((*words[turn:], *words[:turn])) for turn in range(len(words))}


def _key(text: str) -> str:
    """Return an id as it is compared: spreadsheets take away small letters and leading zeros."""
    return text.casefold().lstrip("0") if text.isdecimal() else text.casefold()


def _letters(person: Person) -> list[str]:
    """Return the words of a name in small letters, with accents."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", person.name or "").casefold())


def _contradicts(person: Person, other: Person) -> bool:
    """Return whether both have names, and no word of these is the same."""
    words = [set(re.findall(r"[^\W_]+", _plain(each.name or ""))) for each in (person, other)]
    return all(words) and not words[0] & words[1] and person.name != person.handle


def _plain(text: str) -> str:
    """Return `text` in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def _bare(text: str) -> str:
    """Return the letters of `text`, small and without accents."""
    return re.sub(r"[\W_]+", "", _plain(text))


def _distinct(lines: Iterable[RosterLine]) -> list[RosterLine]:
    return list({id(line): line for line in lines}.values())


def _shown(person: Person) -> str:
    return one_line(person.name or person.user or person.id or person.handle or "?", 60)
