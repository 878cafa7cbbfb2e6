"""What comes after the deadline: told, and taken from as the course says, of nobody else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest
from command_line import Done, grader, write
from hypothesis import given
from hypothesis import strategies as st

from grader.cli import grade, sources
from grader.errors import UsageError
from grader.intake.lateness import Lateness, LateTerms, LateUnit, parse_deadline, parse_late_terms
from grader.judging.lateness import late_result
from grader.messages import message
from grader.run.tasks import Task
from grader.store.runs import AttemptFacts

HOUR: Final = 3_600
DAY: Final = 24 * HOUR
SUITE: Final = """\
exercise: double
title: A title
language: {language}
module: double
defines: [double]
groups: [{{id: g, points: 8}}]
rules: {{constructs: [{{id: no-for, forbid: [for], points: {cost}}}]}}
sessions:
  - id: example
    steps:
      - {{do: double(2), returns: "4", group: g}}
"""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
LOOPING: Final = "def double(x):\n    for y in [1]:\n        pass\n    return 2 * x\n"
DEADLINE: Final = "2026-10-01T23:59 Europe/Brussels"
ON_TIME, LATE, LATER = (
    datetime.fromisoformat(f"2026-10-{moment}+02:00")
    for moment in ("01T23:59:59", "02T12:00:00", "04T12:00:00")
)


# Deadlines


@pytest.mark.parametrize(
    ("deadline", "submitted", "late_s"),
    [
        ("2026-10-01T23:59", "2026-10-01T23:59:59", None),
        ("2026-10-01T23:59", "2026-10-02T00:00:00", 1),
        ("2026-10-01 23:59", "2026-10-02T01:00:00", HOUR),
        ("2026-10-01T23:59:00", "2026-10-01T23:58:59", None),
        ("2026-10-01T23:59:00", "2026-10-01T23:59:30", 30),
        ("2026-10-01T23:59+02:00", "2026-10-01T22:00:00+00:00", 1),
        ("2026-10-01T23:59+0200", "2026-10-01T21:59:59Z", None),
        ("2026-10-01T23:59Z", "2026-10-01T23:59:59", None),
        ("2026-10-01T23:59[Europe/Brussels]", "2026-10-01T23:00:00+00:00", HOUR),
        ("2026-10-01T23:59 Europe/Brussels", "2026-10-02T00:59:59.5", HOUR),
        # In winter the same place is an hour nearer to Greenwich.
        ("2026-12-01T23:59 Europe/Brussels", "2026-12-01T23:00:00+00:00", 1),
    ],
)
def test_late_is_what_comes_after_the_deadline(
    deadline: str, submitted: str, late_s: int | None
) -> None:
    """In whatever zones both are; a time without one is of the zone of the deadline."""
    found = parse_deadline(deadline).lateness(datetime.fromisoformat(submitted))
    assert late_s == (None if found is None else found.late_s)


@pytest.mark.parametrize(
    "text",
    [
        *("", "tomorrow", "2026-10-01", "2026-13-01T23:59", "2026-10-01T24:59", "01/10/2026 23:59"),
        *("2026-10-01T23:59 Europe/Nowhere", "2026-10-01T23:59 Europe", "2026-10-01T23:59+99:00"),
        *("2026-10-01T23:59 ../../etc/passwd", "2026-10-01T23:59\x1b[2J", "9999-12-31T23:59"),
    ],
)
def test_what_is_no_deadline_is_told(text: str) -> None:
    """With how to write one, and nothing that a terminal obeys."""
    with pytest.raises(UsageError, match="is not a valid deadline") as caught:
        parse_deadline(text)
    assert "2026-10-01T23:59" in (caught.value.help or "")
    assert "\x1b" not in caught.value.message


def test_zone_of_a_deadline_is_not_guessed() -> None:
    """Where hand-ins have one, it must be said."""
    with pytest.raises(UsageError, match="the deadline has none"):
        parse_deadline("2026-10-01T23:59").lateness(LATE)


# Terms


@pytest.mark.parametrize(
    ("text", "late_s", "left"),
    [
        ("10% per day, at most 50%", 1, "5.4"),
        ("10% per day, at most 50%", DAY, "5.4"),
        ("10% per day, at most 50%", DAY + 1, "4.8"),
        ("10% per day, at most 50%", 30 * DAY, "3"),
        ("10% per day", 30 * DAY, "0"),
        ("10 %  per  day", 1, "5.4"),
        ("0.5% per hour", 3 * HOUR, "5.91"),
        ("50% per week", 8 * DAY, "0"),
        ("25%", 30 * DAY, "4.5"),
        ("25% of the maximum", 1, "4"),
        ("10% of the maximum per day, at most 40%", 9 * DAY, "2.8"),
        ("100% of the maximum", 1, "0"),
        ("cap 60%", 1, "4.8"),
        ("cap 90%", 1, "6"),
        ("refuse", 1, "0"),
    ],
)
def test_terms_take_what_they_say(text: str, late_s: int, left: str) -> None:
    """Of 6 points that were earned, of 8; each unit that has begun counts."""
    terms = parse_late_terms(text)
    taken = terms.deduction(late_s, Fraction(6), Fraction(8))
    assert Fraction(left) == 6 - taken
    assert terms == parse_late_terms(str(terms)), "they are kept as they are written"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "10",
            "10% a day",
            "10% per month",
            "101%",
            "cap",
            "cap 101%",
            "-5%",
            "5%, at most 2%",
        ),
        *("refuse all", "10,5%", "nan% per day", "٣% per day", "10% per day at most 50%"),
    ],
)
def test_terms_that_say_nothing_are_told(text: str) -> None:
    """With all that can be said."""
    with pytest.raises(UsageError) as caught:
        parse_late_terms(text)
    assert "10% per day, at most 50%" in (caught.value.help or "")


PERCENTS = st.fractions(0, 100, max_denominator=10)
TERMS = st.one_of(
    st.builds(LateTerms, cap=PERCENTS),
    st.builds(
        LateTerms,
        percent=PERCENTS,
        unit=st.sampled_from(LateUnit),
        most=PERCENTS,
        is_of_maximum=st.booleans(),
    ),
)


@given(TERMS, st.integers(1, 10**9), st.integers(1, 10**9), st.fractions(0, 20))
def test_later_is_never_cheaper(terms: LateTerms, one: int, other: int, earned: Fraction) -> None:
    """And nobody loses more than was earned, or gains anything."""
    maximum = Fraction(20)
    less, more = (terms.deduction(late_s, earned, maximum) for late_s in sorted((one, other)))
    assert 0 <= less <= more <= earned


# In a run


@pytest.fixture
def hand_ins(here: Path) -> None:
    """Three hand-ins with the same files, and one that breaks a rule."""
    assert here.is_dir()
    write("testsuites/double.yaml", SUITE.format(language="en", cost=2))
    for name, source in {"an": RIGHT, "bo": RIGHT, "cas": RIGHT, "dee": LOOPING}.items():
        write(f"double/{name}.py", source)


TIMES: Final = {"an": ON_TIME, "bo": LATE, "cas": LATER, "dee": LATE}


def run(
    capfd: pytest.CaptureFixture[str],
    *options: str,
    times: dict[str, datetime] | None = None,
    marked: tuple[str, ...] = (),
) -> Done:
    """Grade the hand-ins, which came at these times; the platform has `marked` some as late."""
    known = TIMES if times is None else times

    def found(planned: sources.PlannedExercise) -> Sequence[Task]:
        tasks = sources.tasks_of(planned)
        return [
            replace(task, attempt=AttemptFacts(submitted=known.get(each), is_late=each in marked))
            for task in tasks
            for each in [task.entry.student]
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grade, "tasks_of", found)
        return grader(capfd, "grade", "double", "--jobs", "1", *options)


def told(folder: str = "reports") -> dict[str, tuple[float, list[str]]]:
    """Return score and broken rules of each in `results.json`."""
    found = json.loads(Path(folder, "results.json").read_bytes())["submissions"]
    return {
        each["student"]: (
            each["score"],
            [rule["id"] for rule in each["rules"] if rule["verdict"] == "BROKEN"],
        )
        for each in found
    }


LATENESS: Final = ["lateness"]
BOTH: Final = ["constructs/no-for", "lateness"]


@pytest.mark.usefixtures("hand_ins")
def test_late_hand_in_loses_what_the_course_says(capfd: pytest.CaptureFixture[str]) -> None:
    """A deduction by name, after those of rules; who was in time with the same files has none."""
    done = run(capfd, "--deadline", DEADLINE, "--late", "10% per day, at most 50%", "--sheets")
    assert 0 == done.code, done.err
    assert f"after the deadline of {DEADLINE}: 3 of 4\n" in done.err
    assert {
        "an": (8.0, []),
        "bo": (7.2, LATENESS),
        "cas": (5.6, LATENESS),
        "dee": (5.4, BOTH),
    } == told()
    page = Path("reports/double/bo.html").read_text()
    for said in (
        "Hand in before the deadline.",
        "It was handed in 12 h after the deadline.",
        "Each day or part of a day costs 10 % of the points.",
        "It costs 50 % at most.",
        "−0.8 points",
    ):
        assert said in page
    assert "deadline" not in Path("reports/double/an.html").read_text()
    assert 3 == Path("reports/index.html").read_text().count("<small>late</small>")
    assert "12 h after the deadline" in Path("reports/double/sheets/bo.html").read_text()
    assert "2 d 12 h after the deadline" in grader(capfd, "show", "reports", "cas").out


@pytest.mark.usefixtures("hand_ins")
def test_without_terms_it_is_only_told(capfd: pytest.CaptureFixture[str]) -> None:
    """As a remark, that costs nothing."""
    assert 0 == run(capfd, "--deadline", DEADLINE).code
    assert (8.0, LATENESS) == told()["bo"]
    assert "costs no points" in Path("reports/double/bo.html").read_text()


@pytest.mark.usefixtures("hand_ins")
def test_another_deadline_grades_nothing_again(capfd: pytest.CaptureFixture[str]) -> None:
    """Records are scored once more; a comparison tells the deadline, and no surprise."""
    options = ("--late", "25%")
    assert 0 == run(capfd, "--deadline", DEADLINE, *options, "--out", "one").code
    arguments = ("--deadline", "2026-10-03T23:59 Europe/Brussels", *options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.run.worker.grade", None)  # so that whatever is graded is a fault
        assert 0 == run(capfd, *arguments, "--out", "one").code
    assert {"an": (8.0, []), "bo": (8.0, []), "cas": (6.0, LATENESS), "dee": (6.0, BOTH[:1])} == (
        told("one")
    )
    assert 0 == run(capfd, "--deadline", DEADLINE, *options, "--out", "two").code
    done = grader(capfd, "diff", "two", "one")
    assert "bo  6 -> 8 of 8 (+2)  [deadline]" in done.out
    assert "unexpected changes" not in done.out


@pytest.mark.usefixtures("hand_ins")
def test_points_are_scored_again_with_what_is_late(capfd: pytest.CaptureFixture[str]) -> None:
    """A rule that costs otherwise leaves other points to take from."""
    options = ("--deadline", DEADLINE, "--late", "50%")
    assert 0 == run(capfd, *options).code
    assert (3.0, BOTH) == told()["dee"]
    write("testsuites/double.yaml", SUITE.format(language="en", cost=4))
    assert 0 == grader(capfd, "regrade", "reports", "--accept").code
    assert {"an": 8.0, "bo": 4.0, "cas": 4.0, "dee": 2.0} == {
        name: score for name, (score, _) in told().items()
    }


@pytest.mark.usefixtures("hand_ins")
def test_a_person_may_waive_it(capfd: pytest.CaptureFixture[str]) -> None:
    """Like any other deduction."""
    assert 0 == run(capfd, "--deadline", DEADLINE, "--late", "refuse").code
    assert (0.0, LATENESS) == told()["bo"]
    arguments = ("--rule", "lateness", "--verdict", "kept", "--because", "She was ill.")
    assert 0 == grader(capfd, "mark", "reports", "bo", *arguments).code
    assert (8.0, []) == told()["bo"]


@pytest.mark.usefixtures("hand_ins")
def test_of_whom_nobody_tells_the_time_nothing_is_taken(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """And they are named."""
    done = run(capfd, "--deadline", DEADLINE, "--late", "refuse", times={"an": LATE})
    said = "submission time unknown, so nothing is deducted: 3: bo, cas, dee"
    assert said in done.err
    assert "the platform" not in done.err
    assert (0.0, 8.0) == (told()["an"][0], told()["bo"][0])


@pytest.mark.usefixtures("hand_ins")
def test_what_the_platform_finds_late_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Where it is not by this deadline: it may be the wrong one."""
    done = run(
        capfd, "--deadline", DEADLINE, times={"an": ON_TIME, "bo": LATE}, marked=("an", "bo")
    )
    assert "marked late by the platform, but handed in before this deadline: 1: an\n" in done.err


@pytest.mark.usefixtures("hand_ins")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--late", "10%"), "--late is given without --deadline"),
        (("--deadline", "soon"), "'soon' is not a valid deadline"),
        (
            ("--deadline", DEADLINE, "--late", "a bit"),
            "'a bit' is not a valid deduction for late hand-ins",
        ),
        (("--deadline", "2026-10-01T23:59"), "the deadline has none"),
    ],
)
def test_what_cannot_be_kept_to_is_told_before_anything_is_graded(
    capfd: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    """Exit code 2, and no reports."""
    done = run(capfd, *options)
    assert 2 == done.code
    assert said in done.err
    assert not Path("reports").exists()


@pytest.mark.corpus
@pytest.mark.usefixtures("hand_ins")
@pytest.mark.parametrize("late", ["10%", "5% per hour", "5% of the maximum per week", "cap 50%"])
@pytest.mark.parametrize("language", ["en", "nl", "es"])
def test_all_terms_are_said_in_all_languages(
    capfd: pytest.CaptureFixture[str], language: str, late: str
) -> None:
    """Each with its percentage."""
    write("testsuites/double.yaml", SUITE.format(language=language, cost=2))
    assert 0 == run(capfd, "--deadline", DEADLINE, "--late", late).code
    page = Path("reports/double/bo.html").read_text()
    assert f"{late.removeprefix('cap ').partition('%')[0]} %" in page


def test_what_is_late_by_less_than_a_minute_is_told_in_seconds() -> None:
    """Nobody reads that it was nothing."""
    for late_s, told in ((30, "30 s"), (60, "1 min"), (2 * DAY + 60, "2 d 1 min")):
        _, rule = late_result(Lateness(late_s=late_s, deadline="then"), Fraction(1), Fraction(1))
        assert message("late.by", late=told) == rule.evidence[0]
