"""Plans: who is graded on what of all sources together, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from named_sources import CODE, leaf, source
from planned_sources import ANN, BLACKBOARD, BOB, MOODLE, enrolled, moodle, planned, students

from grader.errors import UsageError
from grader.intake.layouts.recognition import KnownExercise
from grader.intake.people import Person
from grader.intake.plan import Choice, PlanOptions, make_plan
from grader.intake.roster import Roster, RosterLine
from grader.intake.sources import Source
from grader.messages import message
from grader.reporting.plan_text import plan_lines

# Attempts


@pytest.mark.parametrize(
    ("choice", "file"), [(Choice.LATEST, "yinyang.py"), (Choice.FIRST, "oud.py")]
)
def test_the_latest_attempt_is_graded_by_default(choice: Choice, file: str) -> None:
    """The plan has them all, the oldest first."""
    (entry,) = planned(BLACKBOARD, choice=choice).entries
    assert [file] == list(entry.attempt.leaves)
    assert [["oud.py"], ["yinyang.py"]] == [list(each.leaves) for each in entry.attempts]


def test_numbers_tell_the_order_where_there_are_no_times() -> None:
    """The files of Canvas have no time in their names."""
    given = source("maesjan_LATE_7_205_yinyang-1.py", "maesjan_7_100_yinyang.py")
    (entry,) = planned(given).entries
    assert [1, 2] == [attempt.number for attempt in entry.attempts]
    assert entry.attempt.is_late


def test_a_download_that_is_given_twice_has_no_more_attempts() -> None:
    """The same files with the same time are one attempt."""
    (entry,) = planned(BLACKBOARD, BLACKBOARD).entries
    assert 2 == len(entry.attempts)


def test_files_tell_the_order_where_nothing_else_does() -> None:
    """That is a guess, and told."""

    def dated(day: int) -> Source:
        path = MOODLE.format(name="Ann", id=1)
        when = datetime(2025, 10, day, tzinfo=UTC)
        return Source(name=f"{day}.zip", leaves=(leaf(path, CODE * day, when),))

    plan = planned(dated(9), dated(2))
    (entry,) = plan.entries
    assert 9 * len(CODE) == entry.attempt.leaves["yinyang.py"].size_bytes
    assert any(
        "Ann: it is uncertain which of 2 attempts came last" in guess for guess in plan.guesses
    )
    plan = planned(dated(9), dated(2), choice=Choice.FIRST)
    assert 2 * len(CODE) == plan.entries[0].attempt.leaves["yinyang.py"].size_bytes
    assert any("2 attempts came first" in guess for guess in plan.guesses)


def test_what_is_graded_is_read_as_it_was_handed_in() -> None:
    """Under the name that its student gave it, when it is asked for."""
    (entry,) = planned(BLACKBOARD).entries
    hand_in = entry.hand_in()
    assert ("ann", {"yinyang.py": CODE}) == (hand_in.student, dict(hand_in.files))


def test_what_was_refused_is_told_its_student() -> None:
    """A link in a hand-in is no file of hers, and she reads so."""
    folder = "Ann_1_assignsubmission_file"
    refusal = message("refused.link", file="x.py")
    given = source(f"{folder}/yinyang.py", refusals=((f"{folder}/x.py", refusal),))
    (entry,) = planned(given).entries
    assert (refusal,) == entry.hand_in().refusals


# Names


def test_namesakes_are_told_apart_by_what_the_platform_knows() -> None:
    """Two of one name are two students, with the id behind the name, and keep their ids."""
    plan = planned(moodle(("Jan Maes", 1), ("Jan Maes", 2), ("An", 3)))
    assert ["An", "Jan Maes (1)", "Jan Maes (2)"] == students(plan)


def test_names_differ_by_more_than_case() -> None:
    """Pages are files, and not every disk tells capitals from small letters."""
    assert ["JAN (1)", "jan (2)"] == students(planned(moodle(("JAN", 1), ("jan", 2))))


def test_hostile_names_are_made_harmless() -> None:
    """Neither a terminal nor a log obeys a student."""
    plan = planned(moodle(("a\x1b[31m\u202eb", 1), ("::error::x", 2)))
    assert ["::error::x", "a␛[31m\\u202eb"] == students(plan)
    text = "\n".join(plan_lines(plan, None))
    assert text.replace("\n", "").isprintable()


# Several sources


def test_who_is_in_two_downloads_has_the_attempts_of_both() -> None:
    """Known by the id of the platform."""
    plan = planned(moodle(("Ann", 1), ("Bob", 2)), source(MOODLE.format(name="Ann", id=1) + "x"))
    assert ["Ann", "Bob"] == students(plan)
    assert [2, 1] == [len(entry.attempts) for entry in plan.entries]


def test_a_name_joins_downloads_of_two_platforms() -> None:
    """Where nobody else is called so; that is told."""
    late = source("1-9 - Ann Maes - Oct 7, 2025 915 PM/yinyang.py")
    plan = planned(moodle(("Ann Maes", 5)), late)
    assert ["Ann Maes"] == students(plan)
    assert "in several downloads, joined by name: Ann Maes" in plan.guesses


def test_ids_keep_namesakes_in_two_downloads_apart() -> None:
    """Two groups of one assignment, with a Jan Maes in each."""
    plan = planned(moodle(("Jan Maes", 1)), moodle(("Jan Maes", 2)))
    assert ["Jan Maes (1)", "Jan Maes (2)"] == students(plan)
    expected = (
        "in several downloads, and kept apart because they might be different people: Jan Maes"
    )
    assert expected in plan.guesses


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["jan.py", "an.py"], ["jan.py", "piet.py"], ["an", "jan", "jan (2)", "piet"]),
        (["Jan Maes.py", "An.py"], ["jan maes/a.py", "Piet.py"], ["An", "Jan Maes", "Piet"]),
        (["r0123456.py"], ["r0123456/a.py", "r0654321/a.py"], ["r0123456", "r0654321"]),
        (
            ["jan.py", "an.py", "bo.py"],
            ["jan/a.py", "an/a.py", "cas/a.py"],
            ["an", "bo", "cas", "jan"],
        ),
    ],
    ids=["first names", "a full name", "a number", "the same class"],
)
def test_the_same_plain_name_is_one_person_where_it_says_enough(
    first: list[str], second: list[str], expected: list[str]
) -> None:
    """A first name does only where most of the class is in both; either way it is told."""
    plan = planned(source(*first, name="a"), source(*second, name="b"))
    assert expected == sorted(students(plan))
    told = "joined by name" if len(expected) < len(first) + len(second) else "kept apart"
    assert any(told in guess for guess in plan.guesses)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([source("yinyang.py", name="ann"), source("Yinyang.py", name="bob")], ["ann", "bob"]),
        ([source("yinyang.py", "help.py", name=f"{who}.zip") for who in "ab"], ["a", "b"]),
        ([source("yinyang.py", name=MOODLE.format(name="Ann", id=1).split("/")[0])], ["Ann"]),
        ([source("yinyang.py", name="ann")], ["yinyang"]),
        (
            [
                *(source("yinyang.py", name=who) for who in ("ann", "bob", "cas")),
                source("uitwerking.py", name="dee"),
                source(name="eva"),
            ],
            ["ann", "bob", "cas", "dee", "eva"],
        ),
        ([source("a.py", name="x"), source("yinyang.py", name="y")], ["a", "yinyang"]),
        ([source("yinyang.py", name="src")] * 2, ["yinyang", "yinyang (2)"]),
    ],
    ids=[
        "folders",
        "archives",
        "a folder as Moodle names it",
        "one folder",
        "most of them",
        "one of two",
        "two of one name",
    ],
)
def test_sources_of_one_hand_in_are_named_after_students(
    sources: list[Source], expected: list[str]
) -> None:
    """Where there are several, or a platform has named the one that there is."""
    plan = planned(*sources)
    assert expected == sorted(students(plan))
    assert all("/" not in path for each in plan.entries for path in each.attempt.leaves)


def test_files_called_like_the_module_join_nobody() -> None:
    """Not even where that is a number, as a student may have."""
    sources = [source("1010.py", texts={"1010.py": f"# {n}\n"}, name="src") for n in (1, 20)]
    options = PlanOptions(known_exercise=KnownExercise(exercise="1010", modules=("1010",)))
    assert ["1010", "1010 (2)"] == students(make_plan(sources, options))


def test_of_a_plain_name_in_two_sources_the_newest_files_are_graded() -> None:
    """Both are attempts of one person."""

    def dated(day: int) -> Source:
        when = datetime(2025, 10, day, tzinfo=UTC)
        return Source(name=f"{day}.zip", leaves=(leaf(f"Jan Maes/{day}.py", CODE, when),))

    (entry,) = make_plan((dated(9), dated(2)), PlanOptions(layout="plain")).entries
    assert (["9.py"], 2) == (list(entry.attempt.leaves), len(entry.attempts))


@pytest.mark.parametrize("parts", [(1, 2), (2, 1), (1, 3)])
def test_parts_of_a_download_of_google_are_one(parts: tuple[int, int]) -> None:
    """A student may have a file in each; a part that is not there is told."""
    first, second = (f"ex-20261012T101530Z-{number:03}.zip" for number in parts)
    plan = planned(
        source("ex/Ann Maes/yinyang.py", "ex/Bob/yinyang.py", name=first),
        source("ex/Ann Maes/help.py", "ex/Cas/yinyang.py", name=second),
    )
    assert ["Ann Maes", "Bob", "Cas"] == students(plan)
    assert ["help.py", "yinyang.py"] == sorted(plan.entries[0].attempt.leaves)
    gone = (
        "ex-20261012T101530Z.zip is incomplete, so hand-ins may be missing: there is no part 002;"
        " add it, or download the folder again"
    )
    assert ((gone,) if parts == (1, 3) else ()) == plan.guesses


# Roster


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (source("T_amaes_attempt_2025-10-07-21-15-02_yinyang.py"), "Ann Maes"),
        (source("T_AMaes_attempt_2025-10-07-21-15-02_yinyang.py"), "Ann Maes"),
        (source("maesann_0123_9_yinyang.py"), "Ann Maes"),
        (source("maesann_777_9_yinyang.py"), "Ann Maes"),
        (source("amaes.py", name="in"), "Ann Maes"),
        (source("0123/yinyang.py", name="in"), "Ann Maes"),
        (moodle(("Maes Ann", 12345)), "Maes Ann"),
        (moodle(("ann maës", 12345)), "ann maës"),
    ],
)
def test_a_roster_tells_who_it_is(given: Source, expected: str) -> None:
    """By id, user name, name in any order, or the letters that a platform makes of a name."""
    plan = planned(given, roster=enrolled(ANN, BOB))
    (entry,) = plan.entries
    assert (expected, "amaes") == (entry.student, (entry.person.user or "").lower())
    assert (BOB,) == plan.missing


@pytest.mark.parametrize(
    ("given", "lines", "told"),
    [
        (moodle(("Cas", 7)), (ANN,), "not in the roster: Cas"),
        (
            moodle(("Cas Vos", 7)),
            (Person(name="Dirk", id="7"),),
            "the roster has another name, Dirk",
        ),
        (moodle(("Ann Maes", 7)), (ANN, Person(name="Maes Ann")), "2 people in the roster"),
        (
            moodle(("Ann Maes", 7), ("Ann Maes", 8)),
            (ANN,),
            "several hand-ins match the same roster line",
        ),
        (
            source(
                "T_xyz_attempt_2025-10-07-21-15-02_a.py",
                texts={"T_xyz_attempt_2025-10-07-21-15-02.txt": "Name: Ann Maes (xyz)\n"},
            ),
            (ANN,),
            "the roster has another user name, amaes",
        ),
    ],
)
def test_doubtful_joins_are_told_and_not_made(
    given: Source, lines: tuple[Person, ...], told: str
) -> None:
    """A mark for somebody else is worse than a line to read; who may be here is not missing."""
    plan = planned(given, roster=enrolled(*lines))
    in_doubt = not told.startswith("not in the roster")
    assert (() if in_doubt else lines) == plan.missing
    assert any(told in guess for guess in plan.guesses), plan.guesses


def test_the_id_of_the_roster_counts_where_the_platform_has_numbers_of_its_own() -> None:
    """Those of Brightspace are in no gradebook."""
    given = source("1-9 - Ann Maes - Oct 7, 2025 915 PM/yinyang.py")
    (entry,) = planned(given, roster=enrolled(ANN)).entries
    assert "0123" == entry.person.id


def test_members_of_a_team_are_not_missing() -> None:
    """Each of them has handed in."""
    given = moodle(("T-Ann Maes", 1), ("T-Bob De Vos", 2), ("U-Cas", 3))
    plan = planned(given, roster=enrolled(ANN, BOB))
    assert ["T", "U"] == students(plan)
    assert () == plan.missing
    assert ["amaes", "bdevos"] == [member.user for member in plan.entries[0].person.members]


def test_groups_with_different_members_are_not_joined() -> None:
    """Each member is graded on a hand-in of her own group, which a later download can repeat."""
    cas = Person(name="Cas Li", user="cli", id="0789")
    first = moodle(("T-Ann Maes", 1), ("T-Cas Li", 3), ("U-Dirk", 9), name="first.zip")
    second = moodle(("T-Ann Maes", 1), ("T-Bob De Vos", 2), ("V-Els", 8), name="second.zip")
    plan = planned(first, second, second, roster=enrolled(ANN, BOB, cas))
    groups = [["Ann Maes", "Cas Li"], ["Dirk"], ["Ann Maes", "Bob De Vos"], ["Els"]]
    assert groups == [[each.name for each in entry.person.members] for entry in plan.entries]
    assert ["T", "U", "T (2)", "V"] == students(plan)
    assert () == plan.missing
    assert any("T: several downloads have this group" in guess for guess in plan.guesses)


def test_group_whose_members_are_named_the_other_way_round_is_one_group() -> None:
    """The order of first and last names says nothing about who somebody is."""
    first = moodle(("T-Ann Maes", 1), ("T-Bob De Vos", 2), name="first.zip")
    second = moodle(("T-Maes, Ann", 1), ("T-De Vos Bob", 2), name="second.zip")
    assert ["T"] == students(planned(first, second))


def test_group_whose_members_only_a_later_download_lists_is_joined_with_them() -> None:
    """Classroom 50 lists them in a table, which can be missing."""
    around = "prog-yinyang_submissions_2026_05_09_T_14_30_45"
    clone = f"{around}/prog-yinyang-amaes/yinyang.py"
    scores = """\
username,first_name,last_name,email,section,datetime,submitted_by,late
amaes,Ann,Maes,,A,2026-05-07T10:00:00Z,amaes,false
bdevos,Bob,De Vos,,A,2026-05-07T10:00:00Z,amaes,false
"""
    listed = source(clone, texts={f"{around}/scores.csv": scores})
    plan = planned(source(clone), listed, roster=enrolled(ANN, BOB))
    (entry,) = plan.entries
    assert ["amaes", "bdevos"] == [member.user for member in entry.person.members]
    assert () == plan.missing


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ((None, None), None),
        (("+3d", None), "+3d"),
        (("+3d", "+3d"), "+3d"),
        (("+3d", "2026-10-08T12:00"), UsageError),
    ],
)
def test_deadline_of_a_member_is_that_of_the_team(
    own: tuple[str | None, ...], expected: str | type[UsageError] | None
) -> None:
    """Two different ones are refused, as nobody can say which one counts."""
    lines = enrolled(ANN, BOB).lines
    roster = Roster(tuple(map(_with_deadline, lines, own)))
    given = moodle(("T-Ann Maes", 1), ("T-Bob De Vos", 2))
    if expected is UsageError:
        with pytest.raises(UsageError, match="several deadlines for the group T: "):
            planned(given, roster=roster)
    else:
        assert expected == planned(given, roster=roster).entries[0].deadline


def test_deadline_that_a_doubt_drops_is_told() -> None:
    """The student would else be late without anybody knowing why."""
    (line,) = enrolled(ANN).lines
    roster = Roster((_with_deadline(line, "+3d"),))
    plan = planned(moodle(("Ann Maes", 7), ("Ann Maes", 8)), roster=roster)
    assert [None, None] == [entry.deadline for entry in plan.entries]
    assert any(
        "not joined to the roster, whose deadline is not used" in guess for guess in plan.guesses
    )


def _with_deadline(line: RosterLine, deadline: str | None) -> RosterLine:
    return replace(line, deadline=deadline)
