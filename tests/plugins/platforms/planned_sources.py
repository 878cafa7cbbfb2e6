"""Plans for sources that are made of names, and rosters of people."""

from __future__ import annotations

from named_sources import YINYANG, source

from grader.intake.people import Person
from grader.intake.plan import Choice, Plan, PlanOptions, make_plan
from grader.intake.roster import Roster, RosterLine
from grader.intake.sources import Source

MOODLE = "{name}_{id}_assignsubmission_file/yinyang.py"


def moodle(*people: tuple[str, int], name: str = "moodle.zip") -> Source:
    """Return a download of Moodle with a hand-in of each of `people`."""
    return source(*(MOODLE.format(name=who, id=number) for who, number in people), name=name)


def planned(*sources: Source, roster: Roster | None = None, choice: Choice = Choice.LATEST) -> Plan:
    """Return the plan for `sources`."""
    return make_plan(sources, PlanOptions(known_exercise=YINYANG, roster=roster, choice=choice))


def enrolled(*people: Person) -> Roster:
    """Return a roster of `people`."""
    return Roster(
        tuple(
            RosterLine(
                person,
                frozenset(key.casefold() for key in (person.id, person.user, person.email) if key),
            )
            for person in people
        )
    )


def students(plan: Plan) -> list[str]:
    """Return what students are called in the run."""
    return [entry.student for entry in plan.entries]


BLACKBOARD = source(
    "T_ann_attempt_2025-10-07-21-15-02_yinyang.py",
    "T_ann_attempt_2025-10-06-10-00-00_oud.py",
    name="toledo.zip",
)
ANN = Person(name="Ann Maes", user="amaes", id="0123", email="ann@example.org")
BOB = Person(name="Bob De Vos", user="bdevos", id="0456")
