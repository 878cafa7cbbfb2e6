"""Moodle: `<full name>_<id>_assignsubmission_file/<what was handed in>`.

There is a folder for each student, up to 4.0 with a trailing `_`, or no folders at all. Where
students hand in as teams, the name is that of the team, and up to 4.1 that of team and student.
Some sites put the user name first, and blind marking has one word instead of all names. Text that
was typed in, and files that were given back, stand beside what was handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.intake.columns import ANONYMOUS
from grader.intake.layouts.recognition import (
    Fit,
    Layout,
    LeftOut,
    Pile,
    Recognition,
    Wanted,
    counted,
    fits,
    grouped,
    names_of,
    others_left_out,
    paths_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source

_FORM: Final = re.compile(
    r"(?P<head>.+?)_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_ID: Final = re.compile(r"(?P<name>.+)_(?P<id>\d+)", re.DOTALL)
_USER: Final = re.compile(
    r"(?:(?P<certain>[^_]+)_|(?P<user>[a-z.-]*\d[a-z\d.-]{3,})[ ])(?P<name>[^_\d]+)", re.DOTALL
)
"""A user name before a name is told by a digit in it, or by `_`, which no name has."""
_TITLE: Final = "Moodle"


def _recognise(source: Source, _wanted: Wanted) -> Recognition | None:
    fitting, others = fits(names_of(source), _FORM)
    if not fitting:
        return None
    own, beside = _own(fitting)
    by_head = grouped(own, lambda each: each.found["head"])
    people = _people(list(by_head))
    attempts = [_pile(of_head).attempt(people[head]) for head, of_head in by_head.items()]
    attempts, guesses = _in_teams(attempts)
    return Recognition(
        layout="moodle",
        evidence=counted(fitting, others, _TITLE),
        fitting=paths_of(fitting),
        attempts=tuple(attempts),
        left_out=(*beside, *others_left_out(others, _TITLE)),
        guesses=tuple(guesses),
    )


def _own(fitting: Iterable[Fit]) -> tuple[list[Fit], list[LeftOut]]:
    """Return what was handed in, and what stands beside it."""
    own: list[Fit] = []
    beside: list[LeftOut] = []
    for each in fitting:
        if each.found["kind"] == "feedback":
            beside.append(LeftOut(each.name.path, "it was given back, not handed in"))
        else:
            own.append(each)
    return own, beside


def _people(heads: Sequence[str]) -> dict[str, Person]:
    """Return who each of `heads` is."""
    people = {head: _person(head) for head in heads}
    names = [person.name or "" for person in people.values()]
    users = [_USER.fullmatch(name) for name in names]
    if all(users):
        for (head, person), user in zip(people.items(), users, strict=True):
            if user is not None:
                told = user["certain"] or user["user"]
                people[head] = replace(person, name=user["name"], user=told)
    is_blind = len(set(names)) == 1 < len(names) and " " not in names[0]
    return {
        head: replace(person, name=None)
        if is_blind or (person.name or "").casefold() in ANONYMOUS
        else person
        for head, person in people.items()
    }


def _person(head: str) -> Person:
    found = _ID.fullmatch(head)
    if found is None:  # the default team has no id
        return Person(name=head)
    return Person(name=found["name"].strip(" _") or None, id=found["id"])


def _pile(fitting: Sequence[Fit]) -> Pile:
    """Return what one student handed in: text that was typed in only if there is nothing else."""
    files = [each for each in fitting if each.found["plugin"] == "file"]
    pile = Pile()
    for each in files or fitting:
        pile.put(each.name, each.path_of(each.found["file"] or None))
    return pile


def _in_teams(attempts: list[Attempt]) -> tuple[list[Attempt], list[str]]:
    """Return `attempts` with one for each team, where all names begin with one, as `Team 1-Ann`.

    Members of a team have the same files. Where they have not, each has handed in for herself.
    """
    halves = [(each.person.name or "").partition("-") for each in attempts]
    teams: dict[str, list[Attempt]] = {}
    for attempt, (team, _, name) in zip(attempts, halves, strict=True):
        alone = replace(attempt, person=replace(attempt.person, name=name.strip()))
        teams.setdefault(team.strip(), []).append(alone)
    have_teams = all(team and name.strip() for team, _, name in halves)
    is_sure = len(attempts) > 2 or _are_alike(attempts)  # two may both be called Anne-...
    if not have_teams or not is_sure or len(teams) == len(attempts):
        return attempts, []
    guess = f"names begin with one of {len(teams)} groups, such as `{next(iter(teams))}`"
    if all(map(_are_alike, teams.values())):
        together = [_team(name, members) for name, members in teams.items()]
        return together, [f"{guess}: members of each have the same files, and share a mark"]
    return [each for members in teams.values() for each in members], [guess]


def _are_alike(attempts: Sequence[Attempt]) -> bool:
    def facts(attempt: Attempt) -> Mapping[str, int | None]:
        return {path: leaf.size_bytes for path, leaf in attempt.leaves.items()}

    return all(facts(each) == facts(attempts[0]) for each in attempts)


def _team(name: str, members: Sequence[Attempt]) -> Attempt:
    people = tuple(each.person for each in members)
    return replace(members[0], person=Person(name=name, members=people))


MOODLE: Final = Layout(name="moodle", recognise=_recognise)
