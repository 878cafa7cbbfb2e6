"""What is kept, and told, of an instructor's own tests."""

from __future__ import annotations

import dis
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, cast

import pytest
from handed_in import put

from grader.errors import UsageError
from grader.intake.submission import SourceFile, Submission
from grader.intake.submissions import HandIn
from grader.judging.record import CaseResult, Record
from grader.plugins.own_tests.proxying import records
from grader.plugins.own_tests.proxying.handed_in import (
    modules_for,
    modules_wanted_by,
    submission_of,
)
from grader.plugins.own_tests.proxying.link import Link
from grader.plugins.own_tests.proxying.own_settings import DetailLevel, OwnSettings
from grader.plugins.own_tests.proxying.records import RaisedInTest, build_record
from grader.plugins.own_tests.proxying.source_of_tests import (
    ValueUse,
    compared_names,
    function_code,
    use_at,
)
from grader.plugins.own_tests.proxying.tracebacks import register_sources, traceback_of
from grader.plugins.own_tests.proxying.workbench import Workbench
from grader.plugins.own_tests.under_pytest.reports import exception_fact
from grader.plugins.own_tests.under_pytest.submission import default_settings, submission_at
from grader.plugins.own_tests.verb import command
from grader.reporting.class_analysis import failures
from grader.reporting.student_page import student_page
from grader.reporting.visibility import staff_groups
from grader.reporting.wording import LANGUAGES, Locale
from grader.sandbox.isolation import Isolation
from grader.verdict import Verdict, Visibility

CODE: Final = "def pop():\n    return [].pop()\n"
SAID: Final = "IndexError: pop from empty list"
OWN: Final = RaisedInTest(
    type="IndexError", summary=SAID, is_own=True, file="stack.py", line=2, function="pop"
)
ISOLATION: Final = Isolation(level=3, layers=(), python_version="3.11")


@pytest.mark.parametrize(
    ("files", "modules"),
    [
        (
            ("zoo/__init__.py", "zoo/animals.py", "zoo/keeper.py"),
            {"zoo", "zoo.animals", "zoo.keeper"},
        ),
        (("animals.py",), {"zoo"}),
        (("animals.txt",), {"zoo"}),
        (("zoo.py", "animals.py"), {"zoo", "animals"}),
    ],
)
def test_a_module_is_known_by_what_tests_ask_of_it(
    tmp_path: Path, files: tuple[str, ...], modules: set[str]
) -> None:
    """A file of another name is taken for it; a package stays one, whichever file defines that."""
    path = tmp_path / "test_zoo.py"
    path.write_text("import zoo\nfrom zoo import Cat\nfrom zoo.keeper import Keeper\n")
    content = {name: b"class Cat: pass\n" if "animals" in name else b"x = 1\n" for name in files}
    if "zoo.py" in content:
        content["zoo.py"] = b"from animals import Cat\n"
    assert modules == submission_of(HandIn(student="an", files=content), [path]).modules.keys()


def a_test(
    verdict: Verdict, raised: RaisedInTest | None = None, summary: str = ""
) -> records.GradedTest:
    """Return what came of one test."""
    return records.GradedTest(
        file="tests/test_stack.py",
        name="test_pop",
        title="Nothing can be popped.",
        verdict=verdict,
        points=0.0,
        max_points=1.0,
        summary=summary,
        raised=raised,
        evidence="def test_pop():\n>   assert pop() == 42\nE   assert 7 == 42",
    )


def record(
    found: records.GradedTest, tests: Path, show: DetailLevel = DetailLevel.ERRORS
) -> Record:
    """Return the record of a submission on one test."""
    source = SourceFile(name="stack.py", text=CODE, encoding="utf-8")
    submission = Submission(student="an", modules={"stack": source}, data={}, raw={})
    own = OwnSettings(
        arguments=(str(tests),), paths=(str(tests),), title="Stacks", exercise="stacks", show=show
    )
    return build_record(submission, [found], own, isolation=ISOLATION)


def sentences(
    found: records.GradedTest, tests: Path, show: DetailLevel = DetailLevel.ERRORS
) -> list[str]:
    """Return what a student reads of one test."""
    (case,) = record(found, tests, show).cases
    return [*map(Locale.for_language("en").sentence, case.explanation)]


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        (
            DetailLevel.NAMES,
            ["Your program raised: IndexError", "This tests: Nothing can be popped."],
        ),
        (
            DetailLevel.ERRORS,
            [f"Your program raised: {SAID}", "This tests: Nothing can be popped."],
        ),
        (
            DetailLevel.MESSAGES,
            [f"Your program raised: {SAID}", "This tests: Nothing can be popped.", SAID],
        ),
    ],
)
def test_a_student_reads_as_much_as_her_teacher_shows(
    show: DetailLevel, expected: list[str], tmp_path: Path
) -> None:
    """Names, errors and messages each show what those before them do."""
    assert expected == sentences(a_test(Verdict.ERROR, OWN, SAID), tmp_path, show)


def test_what_was_compared_is_told_where_it_is_shown(tmp_path: Path) -> None:
    """Else it is known to staff alone, who find what pytest said in the record."""
    found = a_test(Verdict.WRONG, replace(OWN, is_own=False), "assert 7 == 42")
    assert ["The result is not what this test expects.", "assert 7 == 42"] == sentences(
        found, tmp_path, DetailLevel.MESSAGES
    )[::2]
    made = record(found, tmp_path)
    assert "42" not in student_page(made).partition("<main>")[2].partition("</main>")[0]
    ((case,),) = (group.cases for group in staff_groups(made))
    assert "E   assert 7 == 42" == Locale.for_language("en").sentence(case.explanation[-1])


@pytest.mark.parametrize(
    ("verdict", "raised", "expected"),
    [
        (Verdict.WRONG, OWN, f"Your program raised: {SAID}"),
        (Verdict.WRONG, None, "The result is not what this test expects."),
        (Verdict.SKIPPED, OWN, f"Your program could not be imported: {SAID}"),
        (
            Verdict.ERROR,
            replace(OWN, is_own=False),
            (
                "The test stopped with IndexError, "
                "because it could not use the result of your program."
            ),
        ),
        (Verdict.TIMED_OUT, None, "This tests: Nothing can be popped."),
    ],
)
def test_the_reason_is_that_of_the_verdict(
    verdict: Verdict, raised: RaisedInTest | None, expected: str, tmp_path: Path
) -> None:
    """Who raised what, and whether the test came to anything, is told apart."""
    assert expected == sentences(a_test(verdict, raised), tmp_path)[0]


def test_reasons_are_told_in_every_language(tmp_path: Path) -> None:
    """Each has its own words for them."""
    found = a_test(Verdict.ERROR, OWN)
    (case,) = record(found, tmp_path).cases
    told = {Locale.for_language(language).sentence(case.explanation[0]) for language in LANGUAGES}
    assert len(LANGUAGES) == len(told)


def test_a_place_is_a_line_of_the_submission(tmp_path: Path) -> None:
    """One that is not there has no text."""
    assert "return [].pop()" == _source(record(a_test(Verdict.ERROR, OWN), tmp_path)).strip()
    far = replace(OWN, line=700)
    assert "" == _source(record(a_test(Verdict.ERROR, far), tmp_path))


def _source(made: Record) -> str:
    (case,) = made.cases
    assert case.source is not None
    return case.source.text


def test_nobody_is_said_to_give_the_same_answer_where_none_is_known(tmp_path: Path) -> None:
    """A failed comparison of a test tells no answer; a line that raises is the same or not."""
    assert () == failures(record(a_test(Verdict.WRONG), tmp_path))
    assert 1 == len(failures(record(a_test(Verdict.ERROR, OWN), tmp_path)))


def test_another_file_beside_the_tests_is_another_exercise(tmp_path: Path) -> None:
    """Tests may read it: what is kept of a run holds for what they were."""
    own = OwnSettings(arguments=("-x",), paths=(str(tmp_path),), title="a", exercise="a")
    (tmp_path / "data.txt").write_text("1")
    before = own.sha256()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_text("1")
    assert before == own.sha256()
    assert before == replace(own, reads=("/data",), unfit="it raises").sha256()
    (tmp_path / "data.txt").write_text("2")
    assert before != own.sha256()
    assert own == OwnSettings.from_json(own.to_json())


def test_what_lies_among_the_tests_and_was_handed_in_is_none_of_them(tmp_path: Path) -> None:
    """It is not read to know what tests import, takes no name, and is no part of the exercise."""
    tests, handed, out = tmp_path / "test_board.py", tmp_path / "handed", tmp_path / "out"
    tests.write_text("import board\n")
    put(handed / "anna", "board.py", data=b"import secret_of_anna\n")
    own = default_settings([tests], None, "en")
    own = replace(own, apart=(str(handed), str(out)))
    before = own.sha256()
    put(handed / "ben", "board.py", data=b"(" * 10_000)
    put(out, "report.py")
    assert (before, [tests]) == (own.sha256(), own.files)
    assert own == OwnSettings.from_json(own.to_json())
    submission = submission_at(handed / "anna", own)
    assert ["board"] == modules_wanted_by(own.files) == modules_for(submission, own.files)


def test_what_a_test_swallowed_is_told_with_its_line() -> None:
    """The last thing that the submission raised explains a test that only counts points."""
    register_sources([("stack.py", CODE)])
    error = IndexError("pop from empty list")
    error.__traceback__ = traceback_of([["stack.py", 2, "pop"]], {"stack.py": CODE})
    assert [("raised", asdict(OWN))] == list(exception_fact(error))
    assert [] == list(exception_fact(None))


def test_what_a_function_of_the_tests_raised_is_not_told() -> None:
    """Its text can have in it what is expected; it may come back through the submission."""
    with pytest.raises(AssertionError) as caught:
        raise AssertionError("41 is expected")
    ((_, told),) = exception_fact(caught.value)
    assert "41" not in str(told)
    workbench = Workbench(cast("Any", Link), {}, (), list)
    workbench.side.tables.add_local(caught.value)
    for error, last in ((KeyError("a"), "a"), (caught.value, "a")):
        with pytest.raises(type(error)):
            workbench.raise_remote(error, [])
        assert workbench.last_raised is not None
        assert (last,) == workbench.last_raised.args


def test_a_module_that_is_not_there_is_told() -> None:
    """The reason was raised by nobody, and is no secret."""
    ((_, told),) = exception_fact(ImportError("there is no stack"))
    assert "there is no stack" in str(told)


def _looks(given: object) -> None:
    found = list(map(str, [given]))
    assert found == ["1"]
    assert sorted(str(given)) == ["1"]
    assert not given
    repr(given)


def test_the_source_of_a_test_says_what_becomes_of_a_value() -> None:
    """Compared, also by a variable or after a wrapper, held to be true, or dropped."""
    code = _looks.__code__
    uses = {
        (each.is_compared, each.is_tested, each.wrappers)
        for each in (use_at(code, place) for place in range(0, len(code.co_code), 2))
    }
    assert {(True, False, ()), (True, False, ("sorted",)), (False, False, ())} <= uses
    assert frozenset({"found"}) == compared_names(code)


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("assert f() == 1", ValueUse(is_compared=True)),
        ("assert f() == 1 and 2 == g", ValueUse(is_compared=True)),
        ("assert f() == Fraction(1, 2)", ValueUse(is_compared=True)),
        ("assert f() == ' '.join(words)", ValueUse(is_compared=True)),
        ("self.assertTrue(f() == 1)", ValueUse(is_compared=True)),
        ("self.assertEqual(f(), 1)", ValueUse(is_compared=True)),
        ("assert f() and g", ValueUse(is_tested=True)),
        ("assert not f()", ValueUse(is_tested=True)),
        ("assert f() == 1 or g", ValueUse()),
        ("assert not f() == 1", ValueUse()),
        ("assert f() == approx(1, abs=.5)", ValueUse()),
        ("assert f() == [1, mock.ANY]", ValueUse()),
        ("assert f() == other(1)", ValueUse()),
        ("assert g, f() == 1", ValueUse()),
        ("self.assertEqual(f(), ANY)", ValueUse()),
        ("assert f() or g", ValueUse()),
        ("assert not (f() or g)", ValueUse()),
        ("if f() == 1: pass", ValueUse()),
        ("if f(): pass", ValueUse()),
        ("value = f(); assert value == 1", ValueUse(is_compared=True)),
        ("value = f(); assert value == 1 or g", ValueUse()),
        ("value = f(); assert value == approx(1)", ValueUse()),
    ],
)
def test_a_recorded_suite_asks_for_nothing_that_a_test_leaves_open(
    tmp_path: Path, line: str, use: ValueUse
) -> None:
    """Only what a test asserts to be one value is compared, and what it asserts is tested."""
    path = tmp_path / "a.py"
    path.write_text(f"def test(f, g, self, words):\n    {line}\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    code = names["test"].__code__
    used = [
        use_at(code, each.offset)
        for each in dis.get_instructions(code)
        if each.opname == "CALL" and each.positions and _text_at(path, each.positions) == "f()"
    ]
    assert [use] == used


def _text_at(path: Path, places: dis.Positions) -> str:
    return path.read_text().splitlines()[(places.lineno or 1) - 1][
        places.col_offset : places.end_col_offset
    ]


def test_lambdas_on_one_line_are_told_apart() -> None:
    """They can differ in nothing but a name."""
    first, second = (lambda each: each.real), (lambda each: each.imag)
    assert "(lambda each: each.real)" == function_code(first)
    assert "(lambda each: each.imag)" == function_code(second)


def test_a_function_travels_as_code_where_it_needs_no_more() -> None:
    """Built-ins by their names, lambdas by their source, all others not at all."""
    here = 1
    assert "len" == function_code(len)
    assert "str.upper" == function_code(str.upper)
    assert "(lambda each: -len(each))" == function_code(lambda each: -len(each))
    assert function_code(lambda each: each + here) is None
    assert function_code(_looks) is None


def test_cases_of_tests_are_known() -> None:
    """By their ids, as pytest has them; those of suites have another form."""
    case = CaseResult(
        id="a.py::test", group="a.py", code="", verdict=Verdict.PASSED, points=0, max_points=0,
        visibility=Visibility.PUBLIC,
    )  # fmt: skip
    assert case.is_instructor_test
    assert not replace(case, id="a.py/1").is_instructor_test


@pytest.mark.parametrize("option", ["--deadline=2026-01-01", "--engine", "--pseudonyms"])
def test_what_only_suites_have_is_refused(tmp_path: Path, option: str) -> None:
    """By its name, before pytest says that it knows no such option."""
    asked = [str(tmp_path), option, f"--submission={tmp_path}"]
    name = option.partition("=")[0]
    with pytest.raises(UsageError, match=f"{name} does not work with your own tests"):
        command.main(asked, standalone_mode=False)
