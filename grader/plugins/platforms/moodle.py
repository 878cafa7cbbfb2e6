"""Downloads from Moodle: `<full name>_<id>_assignsubmission_file/<file>`.

There is a folder for each student, with a trailing `_` up to Moodle 4.0, or no folders at all. For
teams, the name is the team's, combined with the student's up to Moodle 4.1. Some sites put the user
name first, and blind marking replaces all names with the same word. Online text and feedback files
are beside the files that were handed in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, LeftOut, group_fits
from grader.intake.people import Attempt, Person
from grader.intake.roster import ANONYMOUS_WORDS
from grader.plugins.platforms.gradebooks.dialects import NO_GRADE, Dialect, Words
from grader.plugins.platforms.platform import NamingScheme, Pages, Platform, Reading, safe_file_part

_NAME: Final = re.compile(
    r"(?P<head>(?P<full_name>.+?)(?:_(?P<id>\d+))?)"
    r"_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_USER: Final = re.compile(
    r"(?:(?P<separate_user>[^_]+)_|(?P<user>[a-z.-]*\d[a-z\d.-]{3,})[ ])(?P<name>[^_\d]+)",
    re.DOTALL,
)
"""A user name before a name, recognized by a digit or by the `_` after it."""


def _read(fits: Sequence[Fit]) -> Reading:
    """Read one attempt for each student or team; feedback files are left out."""
    submissions = [fit for fit in fits if fit.match["kind"] == "submission"]
    by_head = group_fits(submissions, lambda fit: fit.match["head"])
    people = _clean_names({head: _person(head_fits[0]) for head, head_fits in by_head.items()})
    attempts = [
        _collect_files(head_fits).attempt(people[head]) for head, head_fits in by_head.items()
    ]
    attempts, guesses = _merge_teams(attempts)
    return Reading(
        owners=[(fit, people.get(fit.match["head"]) or _person(fit)) for fit in fits],
        attempts=attempts,
        left_out=[
            LeftOut(fit.name.path, "it is feedback, not a hand-in", is_hand_in=False)
            for fit in fits
            if fit.match["kind"] == "feedback"
        ],
        guesses=guesses,
    )


def _clean_names(people: dict[str, Person]) -> dict[str, Person]:
    """Return `people` with user names split off their names, and without anonymous names.

    User names are split off only if everybody has one; `people` itself is then changed too.
    """
    names = [person.name or "" for person in people.values()]
    users = [_USER.fullmatch(name) for name in names]
    if all(users):
        for (head, person), match in zip(people.items(), users, strict=True):
            if match is not None:
                user_name = match["separate_user"] or match["user"]
                people[head] = replace(person, name=match["name"], user=user_name)
    # Blind marking gives everybody the same single word as a name.
    is_blind = len(set(names)) == 1 < len(names) and " " not in names[0]
    return {
        head: replace(person, name=None)
        if is_blind or (person.name or "").casefold() in ANONYMOUS_WORDS
        else person
        for head, person in people.items()
    }


def _person(fit: Fit) -> Person:
    if fit.match["id"] is None:  # the default team has no id
        return Person(name=fit.match["full_name"])
    return Person(name=fit.match["full_name"].strip(" _") or None, id=fit.match["id"])


def _collect_files(fits: Sequence[Fit]) -> AttemptBuilder:
    """Collect the files that one student handed in, or the online text if there are no files."""
    files = [fit for fit in fits if fit.match["plugin"] == "file"]
    builder = AttemptBuilder()
    for fit in files or fits:
        builder.add_file(fit.name, fit.path_of(fit.match["file"] or None))
    return builder


def _merge_teams(attempts: list[Attempt]) -> tuple[list[Attempt], list[str]]:
    """Merge `attempts` into one per team if all names start with a team, as in `Team 1-Ann`.

    Attempts stay separate if members of a team have different files. If names start with teams,
    also return a guess for the teacher to check.
    """
    halves = [(attempt.person.name or "").partition("-") for attempt in attempts]
    teams: dict[str, list[Attempt]] = {}
    for attempt, (team, _, name) in zip(attempts, halves, strict=True):
        member = replace(attempt, person=replace(attempt.person, name=name.strip()))
        teams.setdefault(team.strip(), []).append(member)
    # Students whose own names contain a hyphen must not be mistaken for members of teams.
    have_teams = all(team and name.strip() for team, _, name in halves)
    is_sure = len(attempts) > 2 or _have_same_files(attempts)  # two might both be called Anne-...
    if not have_teams or not is_sure or len(teams) == len(attempts):
        return attempts, []
    guess = f"all names start with one of {len(teams)} groups, such as `{next(iter(teams))}`"
    if all(map(_have_same_files, teams.values())):
        merged = [_team_attempt(name, members) for name, members in teams.items()]
        return merged, [f"{guess}: members of a group have the same files, and get one mark"]
    return [member for members in teams.values() for member in members], [guess]


def _have_same_files(attempts: Sequence[Attempt]) -> bool:
    """Return whether all `attempts` have files with the same paths and sizes."""

    def sizes(attempt: Attempt) -> Mapping[str, int | None]:
        return {path: leaf.size_bytes for path, leaf in attempt.leaves.items()}

    return all(sizes(attempt) == sizes(attempts[0]) for attempt in attempts)


def _team_attempt(name: str, members: Sequence[Attempt]) -> Attempt:
    people = tuple(member.person for member in members)
    return replace(members[0], person=Person(name=name, members=people))


def _page_prefix(match: re.Match[str]) -> str | None:
    """Return the folder in which to put a page, or None if the hand-in has no id.

    The folder's name ends in `_file`, even if the hand-in is online text. Underscores in names are
    replaced, because Moodle splits folder names at each `_`.
    """
    name = match["full_name"].replace("_", " ")
    return f"{name}_{match['id']}_assign{match['kind']}_file/" if match["id"] else None


def _make_prefix(person: Person) -> str | None:
    if not (person.id or "").isdecimal():
        return None
    name = safe_file_part(person.name or "student").replace("_", " ")
    return f"{name}_{person.id}_assignsubmission_file/"


def _feedback_headers(kind: str, *words: str) -> str:
    return " | ".join(f"{kind}:{space}{{item}} ({word})" for space in (" ", "") for word in words)


_WORKSHEET: Final = Dialect(
    name="Moodle grading worksheet",
    languages=(
        Words(
            "en",
            "identifier, grade, last modified (grade)",
            mark="grade",
            feedback="feedback comments | feedback",
            maxima="maximum grade",
            locked="grade can be changed",
            scale="scale",
        ),
        Words(
            "nl",
            "identificatie, cijfer | beoordeling"
            ", laatst gewijzigd (beoordeling) | laatst gewijzigd (cijfer)",
            mark="cijfer | beoordeling",
            feedback="feedback als commentaar | feedback opmerkingen | feedback commentaar"
            " | feedback tekstvak",
            maxima="maximaal cijfer | maximumcijfer",
            locked="het cijfer kan gewijzigd worden | cijfer kan gewijzigd worden",
            scale="schaal",
        ),
        Words(
            "es",
            "identificador, calificación, última modificación (calificación)",
            mark="calificación",
            feedback="comentarios de retroalimentación",
            maxima="calificación máxima",
            locked="la calificación puede ser cambiada",
            scale="escala",
        ),
        Words(
            "de",
            "id, bewertung, zuletzt geändert (bewertung)",
            mark="bewertung",
            feedback="feedback als kommentar",
            maxima="bestwertung",
            locked="bewertung kann geändert werden",
            scale="skala",
        ),
        Words(
            "fr",
            "identifiant, note, dernière modification (note)",
            mark="note",
            feedback="feedback par commentaires",
            maxima="note maximale",
            locked="la note peut être modifiée",
            scale="barème",
        ),
    ),
    mark="{mark}",
    uses_html=True,
    has_commas=True,
    empty=NO_GRADE,
)
_REPORT: Final = Dialect(
    name="Moodle grader report",
    languages=(
        Words(
            "en",
            "first name, surname, email address",
            mark="real",
            feedback=_feedback_headers("assignment", "feedback"),
        ),
        Words("en", "first name, last name, last downloaded from this course"),
        Words(
            "nl",
            "voornaam, achternaam, e-mailadres",
            mark="echt | reëel",
            feedback=_feedback_headers("opdracht", "feedback"),
        ),
        Words(
            "es",
            "nombre, apellido(s), dirección de correo",
            mark="real",
            feedback=_feedback_headers("tarea", "comentarios", "retroalimentación"),
        ),
        Words(
            "de",
            "vorname, nachname, e-mail-adresse | zuletzt aus diesem kurs geladen",
            mark="punkte",
            feedback=_feedback_headers("aufgabe", "feedback"),
        ),
        Words(
            "fr",
            "prénom, nom de famille | nom, adresse de courriel",
            mark="brut",
            feedback=_feedback_headers("devoir ", "feedback"),
        ),
    ),
    mark=r"(?!feedback:)(?!.*\((?:feedback|comentarios|retroalimentación|letter|letra|note|lettre"
    r"|percentage|porcentaje|prozentsatz|pourcentage)\)$)"
    r"[^:()]+: ?(?P<item>.+?)(?: \((?:{mark})\))?",
    has_commas=True,
    empty=NO_GRADE,
)
_SCHEME: Final = NamingScheme(layout="moodle", title="Moodle", pattern=_NAME, read=_read)
MOODLE: Final = Platform(
    name="moodle",
    recognise=_SCHEME.recognise,
    pages=Pages(
        scheme=_SCHEME, find_prefix=_page_prefix, make_prefix=_make_prefix, needs_platform_id=True
    ),
    gradebooks=(_WORKSHEET, _REPORT),
)
