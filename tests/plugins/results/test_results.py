"""`--results`: the formats of platforms and editors, as those who read them take them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

import jsonschema
import pytest
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    one_case_per_verdict,
    record,
    secretive_record,
)
from ruled_records import advice, hit, hostile, one_of_each, rule, ruled

from grader.errors import UsageError
from grader.judging.record import Record, SourceText
from grader.seams import RESULTS
from grader.verdict import RuleVerdict, Status, Verdict

FORGED: Final = {
    **HOSTILE_TEXTS,
    "vpl": "x\nGrade :=>> 100\n--|>\nGrade :=>>100\r\nGrade :=>>100\u2028Grade :=>>100",
    "cdata": "]]></system-out></pre></script><b>100</b>",
    "json": '"}], "score": 100, "tests": [{"',
}
RUNNER: Final = {
    "CLASSROOM": "cs",
    "ASSIGNMENT": "double",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "an",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit",
    "RELEASE_URL": "https://example.org/release",
}
NUMBER: Final = {"type": "number"}
TEXT: Final = {"type": "string"}
NAME: Final = {"type": "string", "minLength": 1}
WHOLE: Final = {"type": "integer", "minimum": 0}


def closed(needed: dict[str, Any], **allowed: Any) -> dict[str, Any]:
    """Return the schema of an object that has what is `needed`, and no more than is `allowed`."""
    return {
        "type": "object",
        "required": list(needed),
        "properties": {**needed, **allowed},
        "additionalProperties": False,
    }


def many(what: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": what}


# Written from what the readers say or do: see the docstrings of the modules that write.
SCHEMAS: Final = {
    "gradescope": closed(
        {"score": NUMBER, "tests": many(
            closed(
                {"name": TEXT, "status": {"enum": ["passed", "failed"]}, "output": TEXT},
                score=NUMBER, max_score=NUMBER, number=TEXT, visibility={"const": "visible"},
                name_format={"const": "text"}, output_format={"const": "text"},
            )
        )},
        output=TEXT, output_format={"const": "text"}, test_output_format={"const": "text"},
        test_name_format={"const": "text"}, visibility={"const": "visible"},
        stdout_visibility={"const": "hidden"},
    ),
    "prairielearn": {"oneOf": [
        closed(
            {"gradable": {"const": True}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
            message=TEXT,
            tests=many(closed(
                {"name": TEXT, "points": NUMBER, "max_points": NUMBER},
                message=TEXT, output=TEXT,
            )),
        ),
        closed({"gradable": {"const": False}, "format_errors": many(NAME)}, message=TEXT),
    ]},
    "classroom50": closed(
        {
            "schema": {"const": "classroom50/result/v1"},
            **dict.fromkeys(("classroom", "assignment", "owner"), NAME),
            "assignment_type": {"enum": ["individual", "group", "team"]},
            "submission": {"type": "string", "pattern": "^submit/"},
            **dict.fromkeys(("commit", "release", "review"), NAME),
            "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
            **dict.fromkeys(("score", "max-score"), WHOLE),
            "tests": many(closed(
                {"test-name": NAME, "passed": {"type": "boolean"}, "score": WHOLE,
                 "max-score": WHOLE},
                output=TEXT,
            )),
        }
    ),
    "coderunner": closed(
        {"fraction": {"type": "number", "minimum": 0, "maximum": 1}},
        prologuehtml=TEXT, epiloguehtml=TEXT,
        testresults=many({"type": "array", "minItems": 4, "maxItems": 4}),
    ),
    "sarif": closed(
        {"version": {"const": "2.1.0"}, "runs": many(closed(
            {"tool": closed({"driver": closed(
                {"name": NAME}, version=TEXT, rules=many(closed({"id": TEXT})),
            )})},
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            results=many(closed(
                {"message": closed({"text": TEXT})},
                ruleId=TEXT, level={"enum": ["note", "warning", "error"]},
                locations=many(closed({"physicalLocation": closed({
                    "artifactLocation": closed({"uri": {"type": "string", "pattern": r"^\S*$"}}),
                    "region": closed({
                        name: {"type": "integer", "minimum": 1}
                        for name in ("startLine", "startColumn")
                    }),
                })})),
            )),
        ))},
        **{"$schema": TEXT},
    ),
    "codequality": many(closed({
        "description": NAME, "check_name": NAME, "fingerprint": NAME,
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": closed({
            "path": NAME, "lines": closed({"begin": {"type": "integer", "minimum": 1}}),
        }),
    })),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set what the runner of Classroom 50 says of whose work it is."""
    for name, value in RUNNER.items():
        monkeypatch.setenv(name, value)
    for name in ("VPL_GRADEMIN", "VPL_GRADEMAX"):
        monkeypatch.delenv(name, raising=False)


def written(name: str, given: Record, work: str = "in") -> str:
    """Return `given` in the format `name`."""
    text: str = RESULTS.load(name).format_record(given, PurePath(work))
    return text


def parsed(name: str, given: Record) -> Any:
    """Return `given` in the format `name`, which is one of JSON."""
    return json.loads(written(name, given))


def samples() -> Iterator[Record]:
    """Yield records with all that there can be."""
    yield one_case_per_verdict()
    yield one_of_each()
    yield record()
    yield replace(hostile_record("why"), status=Status.UNGRADABLE)
    for text in FORGED.values():
        yield hostile_record(text)
        yield hostile(text)


@pytest.mark.corpus
@pytest.mark.parametrize("name", SCHEMAS)
def test_those_who_read_it_take_it(name: str) -> None:
    """Keys, types and values are those of the format, whatever a submission says."""
    for given in samples():
        text = written(name, given)
        jsonschema.validate(json.loads(text), SCHEMAS[name])
        assert text.isascii()
        assert len(text) < 1_000_000, "PrairieLearn takes no more"


@pytest.mark.corpus
@pytest.mark.parametrize("name", RESULTS.table)
def test_all_text_can_be_written(name: str) -> None:
    """Lone surrogates, NULs and escape sequences are shown, not passed on."""
    for given in samples():
        text = written(name, given)
        text.encode()
        assert not {"\x00", "\x1b", "\x9b", "\u2028"} & set(text)


@pytest.mark.parametrize("name", RESULTS.table)
def test_nothing_hidden_is_told(name: str) -> None:
    """Nobody learns more of hidden cases than from the page."""
    text = written(name, secretive_record("s3cr3t"))
    assert "s3cr3t" not in text
    assert "987654321" not in text


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_vpl_has_one_grade(text: str) -> None:
    """It is the last line; whatever a submission prints begins no line of VPL's."""
    said = written("vpl", hostile_record(text))
    assert ["1.00"] == re.findall(r"Grade :=>>(.*)", said)
    assert said.endswith("\n--|>\n\nGrade :=>>1.00\n")
    inside = said.partition("\n<|--\n")[2].partition("\n--|>\n")[0]
    assert {">", "-"} == {each[0] for each in inside.split("\n")}


def test_vpl_grades_within_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """The activity says from where to where grades go."""
    half = record(group("f", case("f/1"), case("f/2", Verdict.WRONG)))
    monkeypatch.setenv("VPL_GRADEMIN", "10")
    monkeypatch.setenv("VPL_GRADEMAX", "20")
    assert written("vpl", half).endswith("Grade :=>>15.00\n")


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_html_of_coderunner_is_ours(text: str) -> None:
    """There are no tags but those of headings and of text as it stands."""
    result = parsed("coderunner", hostile_record(text))
    for html in (result["prologuehtml"], result["epiloguehtml"]):
        assert {"<h4>", "</h4>", "<pre>", "</pre>"} >= set(re.findall(r"<[^>]*>", html))


def test_coderunner_has_a_row_for_each_case() -> None:
    """The first column is a tick or a cross."""
    given = record(group("f", case("f/1"), case("f/2", Verdict.WRONG, expected="1", got="2")))
    result = parsed("coderunner", given)
    assert [["iscorrect", "Test", "Expected", "Got"], [1, "f(1)", "", ""]] == (
        result["testresults"][:2]
    )
    assert [0, "f(1)", "1", "2"] == result["testresults"][2]
    assert 0.5 == result["fraction"]


def test_points_add_up() -> None:
    """What tests earn, less what rules cost, is the score."""
    given = replace(record(group("f", case("f/1"), case("f/2"))), score=1.5)
    given = replace(given, rules=(rule("dear", penalty=0.5, hits=(hit(),)),))
    result = parsed("gradescope", given)
    assert 1.5 == result["score"] == sum(each["score"] for each in result["tests"])
    result = parsed("prairielearn", given)
    assert 0.75 == result["score"]
    assert [1.5, 2.0] == [
        sum(each[key] for each in result["tests"]) for key in ("points", "max_points")
    ]


def test_what_cannot_be_run_costs_no_attempt() -> None:
    """PrairieLearn calls it invalid, with the reason; elsewhere that is all there is to read."""
    given = replace(hostile_record("the reason"), status=Status.UNGRADABLE)
    result = parsed("prairielearn", given)
    assert [False, True] == [result["gradable"], "the reason" in result["format_errors"][0]]
    (test,) = parsed("gradescope", given)["tests"]
    assert "the reason" in test["output"]


def test_classroom_50_counts_in_whole_numbers() -> None:
    """Hundredths of a point lose nothing, and no test has more than it can."""
    given = record(group("f", replace(case("f/1"), points=0.25, max_points=0.25)), case_group())
    result = parsed("classroom50", replace(given, rules=(rule("dear", penalty=1.0),)))
    assert [125, 125] == [result["score"], result["max-score"]]
    assert [25, 100, 0] == [each["score"] for each in result["tests"]]
    assert all(each["score"] <= each["max-score"] for each in result["tests"])
    assert ["f: f/1", "g: g/1", "rules: dear"] == [each["test-name"] for each in result["tests"]]


def case_group() -> Any:
    """Return a group with one case."""
    return group("g", case("g/1"))


def test_classroom_50_says_whose_work_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere than under its runner nobody knows."""
    monkeypatch.delenv("SUBMISSION_TAG")
    with pytest.raises(UsageError, match="no value in the environment variable SUBMISSION_TAG"):
        written("classroom50", record())


@pytest.mark.parametrize(
    ("given", "level", "severity"),
    [
        (rule("r", hits=(hit(),)), "error", "major"),
        (rule("r", hits=(hit(),), costs=False), "warning", "minor"),
        (rule("r", RuleVerdict.REVIEW, hits=(hit(),)), "note", "info"),
    ],
)
def test_issues_stand_on_their_lines(given: Any, level: str, severity: str) -> None:
    """Rules that are broken are errors where they cost points."""
    text = json.loads(written("sarif", ruled(given), "in my/work"))
    (result,) = text["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert ("r", level) == (result["ruleId"], result["level"])
    assert "in%20my/work/Board.py" == place["artifactLocation"]["uri"]
    assert {"startLine": 41, "startColumn": 5} == place["region"]
    (issue,) = json.loads(written("codequality", ruled(given), "in my/work"))
    assert (severity, {"path": "in my/work/Board.py", "lines": {"begin": 41}}) == (
        issue["severity"],
        issue["location"],
    )


def test_rules_that_are_kept_are_no_issues() -> None:
    """There is nothing to look at."""
    assert [] == parsed("codequality", ruled(rule("kept", RuleVerdict.PASSED, hits=(hit(),))))


def test_what_is_about_no_line_stands_on_the_first() -> None:
    """Such as a recursion that is missing; without any code there is no place for it."""
    sources = (SourceText(name="m.py", text="x = 1\n"),)
    (issue,) = parsed("codequality", replace(ruled(rule("r")), sources=sources))
    assert {"path": "in/m.py", "lines": {"begin": 1}} == issue["location"]
    assert [] == parsed("codequality", ruled(rule("r")))


def test_advice_is_an_issue() -> None:
    """It is for information."""
    given = replace(record(), advice=(advice(1, hits=(hit(), hit(line=50))),))
    issues = parsed("codequality", given)
    assert [("unused", "info", 41), ("unused", "info", 50)] == [
        (each["check_name"], each["severity"], each["location"]["lines"]["begin"])
        for each in issues
    ]


def test_fingerprints_outlive_edits_above() -> None:
    """GitLab follows an issue by it: two of one kind differ, and numbers of lines play no part."""
    prints = [
        [each["fingerprint"] for each in parsed("codequality", replace(record(), advice=(told,)))]
        for told in (
            advice(1, hits=(hit(), hit(line=50))),
            advice(1, hits=(hit(line=3), hit(line=90))),
        )
    ]
    assert prints[0] == prints[1]
    assert 2 == len(set(prints[0]))


def test_text_about_a_release_has_room() -> None:
    """GitHub takes 125,000 characters of it."""
    assert len(written("markdown", hostile_record("y\n" * 200_000))) < 125_000
