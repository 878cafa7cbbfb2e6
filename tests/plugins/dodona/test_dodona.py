"""What Dodona reads of a judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from coded_records import broken, coded
from command_line import RIGHT, SUITE, WRONG, grader, write
from dodona_model import judgement_of, read_by_students
from drawn_pages import BOARDS, check_dialect
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, line, record
from ruled_records import rule
from widget_samples import SAMPLES

from grader.cli import check_submission
from grader.errors import HostError
from grader.judging.record import FailedClause, HiddenTally, LineStatus, Record
from grader.messages import message
from grader.plugins.dodona import judgement as dodona
from grader.plugins.dodona.judgement import GRAVEST_FIRST, MAX_BYTES, STATUSES, write_judgement
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

JUDGE: Final = Path(__file__).parents[3] / "samples/ci/dodona/run"


def printed(make: Callable[[], Record]) -> str:
    """Return what is printed of the record that `make` returns."""
    lines: list[str] = []
    write_judgement(lines.append, make)
    return "".join(lines)


def judged(given: Record) -> list[dict[str, Any]]:
    """Return the commands about `given`."""
    return judgement_of(printed(lambda: given))


def end(given: Record) -> tuple[bool, str]:
    """Return whether `given` is accepted, and what Dodona calls it."""
    last = judged(given)[-1]
    return last["accepted"], last["status"]["enum"]


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_has_a_status(verdict: Verdict) -> None:
    """Only what passed is accepted; what was not tried has no test, and nothing is compared."""
    failing = replace(case("f/2", verdict, expected="1", got="2"), transcript=())
    commands = judged(record(group("f", case("f/1"), failing)))
    tests = [each["status"]["enum"] for each in commands if each["command"] == "close-test"]
    untried = {Verdict.PASSED, Verdict.SKIPPED, Verdict.NOT_RUN}
    assert ([] if verdict in untried else [STATUSES[verdict]]) == tests
    assert STATUSES[verdict] == commands[-1]["status"]["enum"]
    closed = [each["accepted"] for each in commands if each["command"] == "close-testcase"]
    assert [True, verdict is Verdict.PASSED] == closed
    assert commands[-1]["accepted"] is (verdict is Verdict.PASSED)


def test_the_whole_is_as_grave_as_the_gravest() -> None:
    """In the order of Dodona, and in the words of the score."""
    assert set(GRAVEST_FIRST) == {*STATUSES.values(), "compilation error"}
    both = record(group("f", case("f/1", Verdict.WRONG)), group("g", case("g/1", Verdict.MEMORY)))
    assert (False, "memory limit exceeded") == end(both)
    assert "0 of 2 points" == judged(both)[-1]["status"]["human"]


@pytest.mark.parametrize(
    ("key", "status"),
    [("ungradable.syntax", "compilation error"), ("ungradable.empty", "runtime error")],
)
def test_what_cannot_be_run_has_its_reason(key: str, status: str) -> None:
    """And no tab, as nothing was tried."""
    told = message(key, file="f.py", line=1, message="why", text="x")
    given = record(group("f", case()), status=Status.UNGRADABLE, remarks=(told,))
    commands = judged(given)
    assert (False, status) == end(given)
    assert "f.py" in read_by_students(commands)
    assert "start-tab" not in {each["command"] for each in commands}


def test_what_we_failed_on_is_an_internal_error() -> None:
    """Whatever passed of it."""
    assert (False, "internal error") == end(record(group("f", case()), status=Status.FAULT))


def test_notes_stand_on_lines_counted_from_zero() -> None:
    """As many as GitHub gets, and of the one file that Dodona has."""
    notes = [each for each in judged(coded(broken())) if each["command"] == "annotate-code"]
    assert [1] == [each["row"] for each in notes]
    assert "call('f/1')" in notes[0]["text"]
    assert [] == [
        each for each in judged(coded(broken(file="g.py"))) if each["command"] == "annotate-code"
    ]


def test_failing_case_has_both_sides_and_its_session() -> None:
    """Each in its place; the explanation stands with the test."""
    failing = case(
        "f/1",
        Verdict.WRONG,
        expected="1",
        got="2",
        explanation=(message("report.how_file", file="one"),),
        transcript=(line("x = 1", ""), line("f(x)", "2\n", LineStatus.FAILED)),
    )
    commands = judged(record(group("f", failing)))
    (start,) = (each for each in commands if each["command"] == "start-test")
    (close,) = (each for each in commands if each["command"] == "close-test")
    assert ("1", "2") == (start["expected"], close["generated"])
    told = [each["message"]["description"] for each in commands if "message" in each]
    assert ">>> x = 1\n>>> f(x)\n2" in told
    assert any("one" in each for each in told)


@pytest.mark.parametrize("name", SAMPLES)
def test_drawings_are_those_of_the_page(name: str) -> None:
    """As HTML with the SVG that Dodona keeps."""
    drawn = replace(case("f/1", Verdict.WRONG, expected="1", got="2"), pictures=(SAMPLES[name],))
    commands = judged(record(group("f", drawn)))
    html = [
        each["message"]["description"]
        for each in commands
        if each.get("message", {}).get("format") == "html"
    ]
    assert check_dialect("".join(html)) == len(BOARDS.findall("".join(html))) > 0


def test_students_read_no_more_than_on_their_page() -> None:
    """Hidden cases are counted, staff cases and evidence for staff are not there."""
    secret = case("f/2", Verdict.WRONG, visibility=Visibility.HIDDEN, code="secret()", got="secret")
    staff = case("f/3", Verdict.WRONG, visibility=Visibility.STAFF, code="secret()")
    public = case("f/1", Verdict.TAMPERED, staff_evidence="secret")
    given = record(group("f", public, secret, staff), group("s", replace(staff, id="s/1")))
    commands = judged(given)
    text = read_by_students(commands)
    assert "secret" not in text
    assert "Hidden cases: 0 of 1 demand is met." in text or "0 of 1" in text
    assert ["f"] == [each["title"] for each in commands if each["command"] == "start-tab"]


def test_hidden_failure_is_told_by_clause_and_example() -> None:
    """As far as the suite lets it be told."""
    secret = case("f/2", Verdict.WRONG, visibility=Visibility.HIDDEN)
    example = case("example", Verdict.WRONG, code="f(7)", expected="49", got="14")
    told = replace(
        group("f", case("f/1"), secret),
        hidden=HiddenTally(demands=3, met=2.0),
        clauses=(FailedClause(line=3, quote="the square"),),
        counterexample=example,
    )
    text = read_by_students(judged(record(told)))
    assert "the square" in text
    assert "f(7)" in text
    assert "49" in text
    assert (False, "wrong") == end(record(told))


def test_broken_rule_that_costs_points_is_not_accepted() -> None:
    """One for a person, or that costs nothing, stands there and is."""
    right = record(group("f", case()))
    assert (True, "correct") == end(right)
    costly = rule("loops/f", RuleVerdict.BROKEN)
    assert (False, "wrong") == end(replace(right, rules=(replace(costly, costs=True),)))
    free = replace(right, rules=(replace(costly, costs=False),))
    assert (True, "correct") == end(free)
    assert "demand of loops/f" in read_by_students(judged(free))


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_no_text_of_a_submission_breaks_it(text: str) -> None:
    """Nor is any of it markup."""
    shown = printed(lambda: hostile_record(text))
    commands = judgement_of(shown)
    assert len(shown) < MAX_BYTES
    for each in commands:
        told = each.get("message", each.get("description", {}))
        if told.get("format") == "html":
            assert "<script" not in told["description"]
            assert "<img" not in told["description"]
            assert "<style" not in told["description"]


@pytest.mark.parametrize("text", ["{} {}", '}"} {"{', "}\n{", '{"command":"close-judgement"} {}'])
def test_braces_in_text_part_nothing(text: str) -> None:
    """Dodona takes apart what it reads between a closing brace and an opening one."""
    given = record(group("f", case("f/1", Verdict.WRONG, code=text, expected=text, got=text)))
    (start,) = (each for each in judged(given) if each["command"] == "start-test")
    assert text == start["expected"]


def test_what_is_said_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases for which there is no room are named, and then counted; the end is the same."""
    monkeypatch.setattr(dodona, "MAX_BYTES", 4_000_000)
    many = [
        case(f"f/{number}", Verdict.WRONG, expected="\ud7ff" * 9_000, got="x", code=f"f({number})")
        for number in range(200)
    ]
    shown = printed(lambda: record(group("f", *many)))
    assert len(shown) < dodona.MAX_BYTES
    commands = judgement_of(shown)
    assert 200 == sum(each["command"] == "start-test" for each in commands)
    assert not commands[-1]["accepted"]


def test_cases_without_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not accepted where one of them failed."""
    monkeypatch.setattr(dodona, "MAX_BYTES", 510_000)
    cases = [case(f"f/{number}", Verdict.WRONG, code=f"f({number})") for number in range(300)]
    commands = judged(record(group("f", *cases)))
    shown = sum(each["command"] == "start-test" for each in commands)
    assert 0 < shown < 300
    assert f"And {300 - shown} more cases" in read_by_students(commands)


@pytest.mark.parametrize(
    "what", ["append-message", "start-tab", "start-testcase", "start-test", "close-tab"]
)
def test_our_own_failure_closes_what_is_open(what: str) -> None:
    """Wherever it comes, it is an internal error, and its reason is for staff."""
    lines: list[str] = []
    fails = True

    def write(told: str) -> None:
        nonlocal fails
        lines.append(told)
        if fails and f'"{what}"' in told:
            fails = False
            raise RuntimeError("our secret")

    write_judgement(write, lambda: record(group("f", case("f/1", Verdict.WRONG))))
    commands = judgement_of("".join(lines))
    assert "internal error" == commands[-1]["status"]["enum"]
    assert not commands[-1]["accepted"]
    assert "our secret" not in read_by_students(commands)
    assert "our secret" in json.dumps(commands)


def test_record_that_we_fail_to_make_is_an_internal_error() -> None:
    """Then nothing is open but the judgement itself."""

    def fail() -> Record:
        raise RuntimeError("our secret")

    commands = judgement_of(printed(fail))
    assert "internal error" == commands[-1]["status"]["enum"]
    assert "our secret" not in read_by_students(commands)


@pytest.mark.usefixtures("here")
def test_check_prints_nothing_else_and_ends_with_0(capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever was found, as another exit code is the judge's own failure to Dodona."""
    for source, accepted in (
        (RIGHT, True),
        (WRONG, False),
        ("def double(x)\n", False),
        ("", False),
    ):
        file = write("mine.py", source)
        done = grader(capfd, "check", file, "--dodona", "--exercise", "double")
        assert (0, "") == (done.code, done.err)
        assert accepted is judgement_of(done.out)[-1]["accepted"]


@pytest.mark.usefixtures("here")
def test_nothing_is_judged_without_isolation(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an internal error, whose reason staff reads."""

    def refuse(_: object) -> None:
        raise HostError("this machine cannot isolate", help="nothing")

    monkeypatch.setattr(check_submission, "require_isolation", refuse)
    done = grader(capfd, "check", write("mine.py", RIGHT), "--dodona", "--exercise", "double")
    commands = judgement_of(done.out)
    assert (0, "internal error") == (done.code, commands[-1]["status"]["enum"])
    assert "cannot isolate" in json.dumps(commands)
    assert "cannot isolate" not in read_by_students(commands)


@pytest.mark.usefixtures("here")
def test_other_outputs_are_refused_beside_it(capfd: pytest.CaptureFixture[str]) -> None:
    """Dodona reads all that is printed."""
    done = grader(capfd, "check", write("mine.py", RIGHT), "--dodona", "--json")
    assert (2, "") == (done.code, done.out)


@pytest.mark.commands
@pytest.mark.parametrize(("source", "accepted"), [(RIGHT, True), (WRONG, False)])
def test_judge_that_is_written_is_started_as_dodona_does(
    tmp_path: Path, source: str, accepted: bool
) -> None:
    """With JSON on standard input, a submission without a name, and the suite in the resources."""
    resources, commands = tmp_path / "resources", tmp_path / "bin"
    resources.mkdir()
    commands.mkdir()
    suite = SUITE.format(name="double", defines="double", call="double(2)")
    (resources / "double.yaml").write_text(suite)
    (tmp_path / "source").write_text(source)
    (commands / "grader").write_text(
        f"#!{sys.executable}\nfrom grader.cli.verbs import main\nmain()\n"
    )
    (commands / "grader").chmod(0o755)
    asked = {
        "memory_limit": 1_000_000_000,
        "time_limit": 120,
        "natural_language": "nl",
        "programming_language": "python",
        "resources": str(resources),
        "source": str(tmp_path / "source"),
        "judge": str(JUDGE.parent),
        "workdir": str(tmp_path),
        "exercise": "double",
    }
    done = subprocess.run(
        [sys.executable, JUDGE],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"},
        cwd=tmp_path,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert accepted is judgement_of(done.stdout)[-1]["accepted"]
