"""Sentences of reports in the words of a course."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import suite
from record_samples import case, group, record

from grader.authoring.deriving.document import _head
from grader.authoring.deriving.settings import load_settings
from grader.errors import SuiteError
from grader.judging.record import Record, from_json, to_json
from grader.messages import message
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale, catalog
from grader.reporting.wording.own import worded
from grader.suite.loading import InvalidSuite
from grader.suite.model import Suite
from grader.verdict import Verdict

BODY = """\
groups: [{id: double, points: 1}]
sessions: [{id: s, steps: [{do: double(1), returns: "2", group: double}]}]
"""
NONE = message("wrong.none", expected="set")


def suite_with(**own: str) -> Suite:
    """Return a suite with these sentences of its own; `__` in a key stands for a dot."""
    sentences = {key.replace("__", "."): said for key, said in own.items()}
    return suite(BODY + f"wording: {json.dumps(sentences)}\n")


def told(*own: tuple[str, str]) -> Record:
    """Return a record of a failure, with these sentences of a course."""
    failing = case("f/1", Verdict.WRONG, explanation=(NONE,), expected="{1}", got="None")
    return replace(record(group("f", failing)), wording=own)


def test_pages_speak_as_the_course_does() -> None:
    """Fixed words and what is said of a failure, with its parameters; the rest stands."""
    page = student_page(
        told(("report.first", "Begin <here>"), ("wrong.none", "{expected}, please."))
    )
    assert "Begin &lt;here&gt;" in page
    assert "set, please." in page
    assert catalog("en")["report.first"] not in page
    assert catalog("en")["report.groups"] in page


def test_a_record_takes_its_words_along() -> None:
    """What is made again of a record says the same."""
    given = told(("report.first", "Begin here"))
    assert given == from_json(to_json(given))
    assert student_page(given) == student_page(from_json(to_json(given)))


def test_words_of_one_exercise_are_not_those_of_another() -> None:
    """Records without any speak as the catalog does, before and after."""
    plain = student_page(told())
    assert plain != student_page(told(("report.first", "Begin here")))
    assert plain == student_page(told())


@pytest.mark.parametrize(
    "said", ["{0}", "{expected.__class__}", "{expected!r}", "{expected:>99999999}", "{", "none"]
)
def test_a_sentence_that_does_not_fit_is_not_believed(said: str) -> None:
    """A record may come from anywhere: the sentence of the catalog stands."""
    spoken = Locale.of_record(told(("wrong.none", said), ("no.such", "x"))).tell(NONE)
    assert Locale.of("en").tell(NONE) == spoken


def test_fitting_sentences_are_taken() -> None:
    """Parameters may come in any order, and more than once."""
    own = suite_with(report__first_why="{max}, {lost}, {lost}", report__first="Here: {{}}")
    assert own is worded(own)


@pytest.mark.parametrize(
    ("own", "wrong"),
    [
        (
            {"report.firsts": "x"},
            "there is no sentence 'report.firsts' (did you mean 'report.first'?)",
        ),
        (
            {"report.first_why": "{lost}"},
            "'report.first_why' must have {lost}, {max}, each at least once and nothing else",
        ),
        (
            {"report.first": "{name}"},
            "'report.first' must have no parameters, each at least once and nothing else",
        ),
        (
            {"wrong.none": "{expected.x}"},
            "'wrong.none': a brace must be the beginning or the end of a {parameter}",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_key(own: dict[str, str], wrong: str) -> None:
    """The message names the key and what is asked of it, and where all sentences are."""
    with pytest.raises(SuiteError) as caught:
        worded(suite(BODY + f"wording: {json.dumps(own)}\n"))
    assert f"`wording` of sample: {wrong}" == caught.value.message
    assert "en*.yaml" in (caught.value.help or "")


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Nobody has to try again for each mistake."""
    with pytest.raises(SuiteError, match=r"'a\.b'.*; .*'c\.d'"):
        worded(suite_with(a__b="x", c__d="y"))


@pytest.mark.parametrize("key", ["first", "report first", "report.", "Report.first"])
def test_what_is_no_key_is_told_where_it_stands(key: str) -> None:
    """With its line in the suite."""
    with pytest.raises(InvalidSuite, match="is no key of a sentence"):
        suite(BODY + f"wording: {json.dumps({key: 'x'})}\n")


def test_settings_go_into_the_derived_suite(tmp_path: Path) -> None:
    """What `exercise.yaml` says in other words, the suite says."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: f\ntitle: F\nlanguage: en\nmodule: f\ndefines: [f]\nwording: {a.b: C}\n"
    )
    assert {"a.b": "C"} == _head(load_settings(path), "spec.md")["wording"]
