"""What the page of a student says, as data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePath

import pytest
from command_line import WRONG, grader, write
from counterexample_samples import SMALL_ONLY, graded
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    line,
    record,
    secretive_record,
)
from ruled_records import hit, rule, ruled

from grader.judging.record import LineStatus
from grader.reporting.shown_results import path_in, shown_json, shown_results
from grader.sandbox.zygote import Zygote
from grader.verdict import RuleVerdict, Status, Verdict, Visibility


@pytest.mark.usefixtures("here")
def test_check_tells_what_the_page_says(capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever reads the JSON of a check has all texts, and the keys of `results.json` as well."""
    done = grader(capfd, "check", "--json", write("mine.py", WRONG))
    (submission,) = json.loads(done.out)["submissions"]
    assert "WRONG" == submission["cases"][0]["verdict"]
    (shown,) = submission["shown"]
    assert {
        "id": "g/1",
        "group": "g",
        "title": "g: double(2)",
        "result": "failed",
        "verdict": "WRONG",
        "points": 0.0,
        "max_points": 2.0,
        "code": "double(2)",
        "expected": "4",
        "got": "2",
        "session": ">>> double(2)\n2",
    }.items() <= shown.items()
    assert shown["headline"] == shown["explanation"][0]


def test_hidden_cases_of_a_group_are_one_outcome() -> None:
    """It has what is left of the points of the group, and of the cases a count."""
    hidden = case("f/secret", Verdict.WRONG, visibility=Visibility.HIDDEN)
    public, counted = shown_results(record(group("f", case("f/1"), hidden)))
    assert ("f/1", "passed", 1.0, 1.0) == (
        public.id, public.result, public.points, public.max_points,
    )  # fmt: skip
    assert ("hidden", "failed", 0.0, 1.0) == (
        counted.id, counted.result, counted.points, counted.max_points,
    )  # fmt: skip
    assert (counted.headline,) == counted.explanation


def test_nothing_hidden_is_told() -> None:
    """Of hidden and staff cases no word is there."""
    said = "".join(map(repr, shown_results(secretive_record("s3cr3t"))))
    assert "s3cr3t" not in said
    assert "987654321" not in said


def test_counterexample_is_inside_what_it_explains(zygote: Zygote) -> None:
    """It is no case and has no points."""
    found = [each.example for each in shown_results(graded(zygote, SMALL_ONLY)) if each.example]
    assert [None] == [each.points for each in found]
    assert ["twice(10)"] == [each.code for each in found]


def test_rules_cost_points_or_none() -> None:
    """A penalty is less than 0 of 0; a remark is no matter of points."""
    given = ruled(
        rule("dear", penalty=2.0, hits=(hit(),)),
        rule("remark", costs=False),
        rule("kept", RuleVerdict.PASSED),
    )
    dear, remark, kept = (each for each in shown_results(given) if each.group == "rules")
    assert ("failed", -2.0, 0.0) == (dear.result, dear.points, dear.max_points)
    assert ("Board.py", 41, 5) == (dear.file, dear.line, dear.column)
    assert ("failed", None, None) == (remark.result, remark.points, remark.max_points)
    assert ("passed", 0.0) == (kept.result, abs(kept.points or 0.0))


def test_what_cannot_be_run_says_why_first() -> None:
    """It comes before cases, which were not tried."""
    first, second = shown_results(
        record(group("f", case("f/1", Verdict.NOT_RUN)), status=Status.UNGRADABLE)
    )
    assert ("submission", "failed") == (first.id, first.result)
    assert "skipped" == second.result


def test_a_shorter_session_takes_the_place_of_a_long_one() -> None:
    """As on the page: it fails in the same way, and has the points of the case."""
    failing = case("f/1", Verdict.WRONG, transcript=(line("x = 1", ""),) * 5)
    short = replace(failing, transcript=(line("f(1)", "2", LineStatus.FAILED),), points=0.5)
    given = replace(record(group("f", failing)), shortened=short)
    (told,) = shown_results(given)
    assert (">>> f(1)\n2", 0.0) == (told.session, told.points)


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_is_short_and_harmless(name: str) -> None:
    """The JSON is ASCII that any reader takes, and what is shown is of a bounded size."""
    given = hostile_record(HOSTILE_TEXTS[name])
    text = shown_json(given)
    assert text.isascii()
    shown = json.loads(text)["submissions"][0]["shown"]
    assert len(Verdict) == len(shown)
    assert len(json.dumps(shown)) < 2_000_000
    said = json.dumps(shown, ensure_ascii=False)
    said.encode()
    assert not {"\x1b", "\x00", "\x9b", "\u2028"} & set(said)


def test_paths_start_where_the_work_was_named() -> None:
    """A file is that path itself; in a folder it is below it."""
    assert "in/mine.py" == path_in(PurePath("in/mine.py"), "double.py")
    assert "in/Board.py" == path_in(PurePath("in"), "Board.py")
    assert "in/a⏎b" == path_in(PurePath("in"), "a\nb")
