"""Sentences of reports in the words of a course."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import suite
from record_samples import case, group, record

from grader.cli.suites import find_suite_with_wording, with_wording
from grader.errors import SuiteError, UsageError
from grader.judging.record import Record, from_json, to_json
from grader.messages import message
from grader.plugins.authoring.deriving.document import _head_keys
from grader.plugins.authoring.deriving.settings import load_settings
from grader.plugins.own_tests.under_pytest.items import SuiteFile
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale, catalog
from grader.suite.course import course_wording
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
    spoken = Locale.for_record(told(("wrong.none", said), ("no.such", "x"))).sentence(NONE)
    assert Locale.for_language("en").sentence(NONE) == spoken


def test_fitting_sentences_are_taken() -> None:
    """Parameters may come in any order, and more than once."""
    own = suite_with(report__first_why="{max}, {lost}, {lost}", report__first="Here: {{}}")
    assert own is with_wording(own)


@pytest.mark.parametrize(
    ("own", "wrong"),
    [
        (
            {"report.firsts": "x"},
            "there is no sentence 'report.firsts' (did you mean 'report.first'?)",
        ),
        (
            {"report.first_why": "{lost}"},
            (
                "'report.first_why' must have exactly these parameters, each at least once:"
                " {lost}, {max}"
            ),
        ),
        (
            {"report.first": "{name}"},
            "'report.first' must not have any parameters",
        ),
        (
            {"wrong.none": "{expected.x}"},
            "'wrong.none': braces must enclose a parameter, such as {name}",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_key(own: dict[str, str], wrong: str) -> None:
    """The message names the key and what is asked of it, and where all sentences are."""
    with pytest.raises(SuiteError) as caught:
        with_wording(suite(BODY + f"wording: {json.dumps(own)}\n"))
    assert f"invalid `wording` of sample: {wrong}" == caught.value.message
    assert "grader/reporting/wording" in (caught.value.help or "")


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Nobody has to try again for each mistake."""
    with pytest.raises(SuiteError, match=r"'a\.b'.*; .*'c\.d'"):
        with_wording(suite_with(a__b="x", c__d="y"))


@pytest.mark.parametrize("key", ["first", "report first", "report.", "Report.first"])
def test_what_is_no_key_is_told_where_it_stands(key: str) -> None:
    """With its line in the suite."""
    with pytest.raises(InvalidSuite, match="is not the key of a sentence"):
        suite(BODY + f"wording: {json.dumps({key: 'x'})}\n")


def test_settings_go_into_the_derived_suite(tmp_path: Path) -> None:
    """What `exercise.yaml` says in other words, the suite says."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: f\ntitle: F\nlanguage: en\nmodule: f\ndefines: [f]\nwording: {a.b: C}\n"
    )
    assert {"a.b": "C"} == _head_keys(load_settings(path), "spec.md")["wording"]


def test_pytest_refuses_what_every_command_refuses(tmp_path: Path) -> None:
    """A sentence that does not fit is an error of collection, not a sentence of ours for once."""
    path = tmp_path / "sample.yaml"
    head = "exercise: sample\ntitle: S\nlanguage: en\nmodule: s\ndefines: [double]\n"
    path.write_text(head + BODY + "wording: {report.no_such_sentence: x}\n")
    file = SimpleNamespace(path=path, CollectError=pytest.Collector.CollectError)
    with pytest.raises(pytest.Collector.CollectError, match=r"no sentence 'report\.no_such"):
        vars(SuiteFile)["suite"].func(file)


COURSE = """\
[wording.en]
"report.first" = "Begin here"
"report.groups" = "Everything"
[wording.nl]
"report.first" = "Begin hier"
"""


def test_a_course_says_it_once_for_all_of_its_exercises(tmp_path: Path) -> None:
    """Beside its suites, by language; what an exercise says itself goes before."""
    (tmp_path / "grader.toml").write_text(COURSE, encoding="utf-8")
    words = course_wording(tmp_path / "testsuites", "en")
    assert words == course_wording(tmp_path, "en")
    assert {"report.first": "Begin hier"} == course_wording(tmp_path, "nl")
    assert {} == course_wording(tmp_path, "fr") == course_wording(tmp_path / "no" / "course", "en")
    plain, own = suite(BODY), suite_with(report__first="Start")
    assert {"report.first": "Begin here", "report.groups": "Everything"} == with_wording(
        plain, words
    ).wording
    assert "Start" == with_wording(own, words).wording["report.first"]


def test_other_words_of_a_course_make_another_suite() -> None:
    """So that what was graded before is told again in them; without any it is the same one."""
    plain, words = suite(BODY), {"report.first": "Begin here"}
    assert plain is with_wording(plain, {})
    assert len({plain.sha256, with_wording(plain, words).sha256}) == 2
    assert with_wording(plain, words).asks != plain.asks
    assert with_wording(plain, words) == with_wording(plain, words)


def test_a_slip_in_the_words_of_a_course_is_told() -> None:
    """As for an exercise, and it says whose they are."""
    with pytest.raises(SuiteError, match=r"the course \(grader\.toml\): there is no sentence"):
        with_wording(suite(BODY), {"report.frist": "Begin here"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wording = 1", "wording must be a table"),
        ('[wording]\n"report.first" = "x"', "unknown language 'report.first'"),
        ("[wording.en]\nfirst = 1", "wording.en must be a table of sentences"),
        ("wordings = 1", "unknown key 'wordings' (did you mean 'wording'?)"),
    ],
)
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """With the file that they are in."""
    (tmp_path / "grader.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        course_wording(tmp_path, "en")
    assert f"{tmp_path / 'grader.toml'}: {said}" == caught.value.message


def test_commands_take_the_words_of_the_course(tmp_path: Path) -> None:
    """Whether they are given the name of an exercise, or the file of a suite."""
    (tmp_path / "grader.toml").write_text(COURSE, encoding="utf-8")
    folder = tmp_path / "testsuites"
    folder.mkdir()
    (folder / "small.yaml").write_text(SUITE, encoding="utf-8")
    for given in (
        find_suite_with_wording("small", folder),
        find_suite_with_wording(str(folder / "small.yaml"), None),
    ):
        assert "Begin here" == given.wording["report.first"]


SUITE = f"exercise: small\ntitle: Small\nlanguage: en\nmodule: small\ndefines: [double]\n{BODY}"
