"""Downloads of Moodle: `<full name>_<id>_assignsubmission_file/<file>`.

There is a folder for each student, up to 4.0 with a trailing `_`, or no folders at all. For teams,
the name is that of the team, up to 4.1 with that of the student. Some sites put the user name
first, and blind marking has one word instead of all names. Online text and feedback files are
beside the files that were handed in.
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
from grader.plugins.platforms.platform import NameForm, Pages, Platform, Reading, safe

_NAME: Final = re.compile(
    r"(?P<head>(?P<called>.+?)(?:_(?P<id>\d+))?)"
    r"_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_USER: Final = re.compile(
    r"(?:(?P<certain>[^_]+)_|(?P<user>[a-z.-]*\d[a-z\d.-]{3,})[ ])(?P<name>[^_\d]+)", re.DOTALL
)
"""A user name before a name: it has a digit, or `_` after it, which is in no name."""


def _read(fitting: Sequence[Fit]) -> Reading:
    own = [each for each in fitting if each.match["kind"] == "submission"]
    by_head = group_fits(own, lambda each: each.match["head"])
    people = _people({head: _person(of_head[0]) for head, of_head in by_head.items()})
    attempts = [_pile(of_head).attempt(people[head]) for head, of_head in by_head.items()]
    attempts, guesses = _in_teams(attempts)
    return Reading(
        owned=[(each, people.get(each.match["head"]) or _person(each)) for each in fitting],
        attempts=attempts,
        left_out=[
            LeftOut(each.name.path, "it is feedback, not a hand-in", is_hand_in=False)
            for each in fitting
            if each.match["kind"] == "feedback"
        ],
        guesses=guesses,
    )


def _people(people: dict[str, Person]) -> dict[str, Person]:
    """Return `people`, by head, with user names split off, and without anonymous names."""
    names = [person.name or "" for person in people.values()]
    users = [_USER.fullmatch(name) for name in names]
    if all(users):
        for (head, person), user in zip(people.items(), users, strict=True):
            if user is not None:
                user_name = user["certain"] or user["user"]
                people[head] = replace(person, name=user["name"], user=user_name)
    # Blind marking gives everybody the same word for a name.
    is_blind = len(set(names)) == 1 < len(names) and " " not in names[0]
    return {
        head: replace(person, name=None)
        if is_blind or (person.name or "").casefold() in ANONYMOUS_WORDS
        else person
        for head, person in people.items()
    }


def _person(fit: Fit) -> Person:
    if fit.match["id"] is None:  # the default team has none
        return Person(name=fit.match["called"])
    return Person(name=fit.match["called"].strip(" _") or None, id=fit.match["id"])


def _pile(fitting: Sequence[Fit]) -> AttemptBuilder:
    """Return the files that one student handed in, or online text if there are none."""
    files = [each for each in fitting if each.match["plugin"] == "file"]
    pile = AttemptBuilder()
    for each in files or fitting:
        pile.add_file(each.name, each.path_of(each.match["file"] or None))
    return pile


def _in_teams(attempts: list[Attempt]) -> tuple[list[Attempt], list[str]]:
    """Return `attempts`, one per team if all names begin with a team, such as `Team 1-Ann`.

    Members of a team have the same files; if not, their attempts stay separate.
    """
    halves = [(each.person.name or "").partition("-") for each in attempts]
    teams: dict[str, list[Attempt]] = {}
    for attempt, (team, _, name) in zip(attempts, halves, strict=True):
        alone = replace(attempt, person=replace(attempt.person, name=name.strip()))
        teams.setdefault(team.strip(), []).append(alone)
    # Names with a hyphen must not be taken for teams.
    have_teams = all(team and name.strip() for team, _, name in halves)
    is_sure = len(attempts) > 2 or _are_alike(attempts)  # two may both be called Anne-...
    if not have_teams or not is_sure or len(teams) == len(attempts):
        return attempts, []
    guess = f"all names start with one of {len(teams)} groups, such as `{next(iter(teams))}`"
    if all(map(_are_alike, teams.values())):
        together = [_team(name, members) for name, members in teams.items()]
        return together, [f"{guess}: members of a group have the same files, and get one mark"]
    return [each for members in teams.values() for each in members], [guess]


def _are_alike(attempts: Sequence[Attempt]) -> bool:
    def facts(attempt: Attempt) -> Mapping[str, int | None]:
        return {path: leaf.size_bytes for path, leaf in attempt.leaves.items()}

    return all(facts(each) == facts(attempts[0]) for each in attempts)


def _team(name: str, members: Sequence[Attempt]) -> Attempt:
    people = tuple(each.person for each in members)
    return replace(members[0], person=Person(name=name, members=people))


def _page(found: re.Match[str]) -> str | None:
    """Return a folder for files, even for online text; Moodle splits names at each `_`."""
    called = found["called"].replace("_", " ")
    return f"{called}_{found['id']}_assign{found['kind']}_file/" if found["id"] else None


def _made(person: Person) -> str | None:
    if not (person.id or "").isdecimal():
        return None
    return f"{safe(person.name or 'student').replace('_', ' ')}_{person.id}_assignsubmission_file/"


def _report(kind: str, *words: str) -> str:
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
    takes_html=True,
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
            feedback=_report("assignment", "feedback"),
        ),
        Words("en", "first name, last name, last downloaded from this course"),
        Words(
            "nl",
            "voornaam, achternaam, e-mailadres",
            mark="echt | reëel",
            feedback=_report("opdracht", "feedback"),
        ),
        Words(
            "es",
            "nombre, apellido(s), dirección de correo",
            mark="real",
            feedback=_report("tarea", "comentarios", "retroalimentación"),
        ),
        Words(
            "de",
            "vorname, nachname, e-mail-adresse | zuletzt aus diesem kurs geladen",
            mark="punkte",
            feedback=_report("aufgabe", "feedback"),
        ),
        Words(
            "fr",
            "prénom, nom de famille | nom, adresse de courriel",
            mark="brut",
            feedback=_report("devoir ", "feedback"),
        ),
    ),
    mark=r"(?!feedback:)(?!.*\((?:feedback|comentarios|retroalimentación|letter|letra|note|lettre"
    r"|percentage|porcentaje|prozentsatz|pourcentage)\)$)"
    r"[^:()]+: ?(?P<item>.+?)(?: \((?:{mark})\))?",
    has_commas=True,
    empty=NO_GRADE,
)
_FORM: Final = NameForm(layout="moodle", title="Moodle", pattern=_NAME, read=_read)
MOODLE: Final = Platform(
    name="moodle",
    recognise=_FORM.recognise,
    pages=Pages(form=_FORM, name=_page, made=_made, made_by_id=True),
    gradebooks=(_WORKSHEET, _REPORT),
)
