"""Advice from simple measures: long, deep and repeated code, parameters and docstrings."""

from __future__ import annotations

import os

import pytest

from grader.intake.submission import SourceFile
from grader.judging.record import Advice
from grader.plugins.advice import linting
from grader.plugins.advice.advising import advice
from grader.reporting.wording import format_message
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import FunctionSurvey, ParameterSurvey, Repetition, Survey


def advised(text: str, survey: Survey) -> list[Advice]:
    """Return the advice on a single module with the code `text`, of which `survey` was found."""
    file = SourceFile(name="sample.py", text=text, encoding="utf-8")
    return list(advice({"sample": file}, survey))


def place(line: int, module: str = "sample") -> CodePlace:
    """Return a place in a module."""
    return CodePlace(module=module, line=line, column=1, end_line=line, end_column=2)


def function(
    name: str,
    line: int = 1,
    *,
    module: str = "sample",
    has_docstring: bool = True,
    code_lines: int = 5,
    nesting: int = 1,
    parameters: tuple[str, ...] = (),
) -> FunctionSurvey:
    """Return a function that needs no advice, unless the test says so."""
    return FunctionSurvey(
        name=f"{module}.{name}",
        place=place(line, module),
        parameters=tuple(
            ParameterSurvey(name=p, kind="positional", has_default=False) for p in parameters
        ),
        has_docstring=has_docstring,
        code_lines=code_lines,
        nesting=nesting,
        calls=(),
        touches=(),
    )


def survey(*functions: FunctionSurvey, repeated: tuple[Repetition, ...] = ()) -> Survey:
    """Return a survey that found these functions and these copies."""
    return Survey(
        constructs=(),
        functions=functions,
        imports=(),
        too_new=(),
        repeated=repeated,
        suspicious=(),
        starts={},
        unnamed=(),
        definitions=(),
        unparsed={},
    )


def test_long_functions_are_named_with_their_length() -> None:
    """The longest comes first, and its length is said."""
    found = survey(
        function("short", code_lines=30),
        function("long", 2, code_lines=31),
        function("Board.longest", 1, code_lines=48),
    )
    (item,) = advised("print(1)\nprint(2)\n", found)
    assert ("too_long", 2) == (item.kind, item.count)
    assert [(1, "print(1)"), (2, "print(2)")] == [(hit.line, hit.text) for hit in item.hits]
    assert format_message(item.said, "nl").startswith(
        "`Board.longest`, `long` tellen tot 48 regels code."
    )


def test_deep_nesting_is_advised_against() -> None:
    """Four blocks in each other are allowed, five are not."""
    found = survey(function("f", nesting=4), function("g.<locals>.h", nesting=5))
    (item,) = advised("", found)
    assert "too_nested" == item.kind
    assert format_message(item.said, "en").startswith("In `h`, blocks are nested 5 levels deep.")


def test_many_parameters_are_advised_against() -> None:
    """Six parameters are allowed besides `self`, seven are not."""
    six = ("a", "b", "c", "d", "e", "f")
    found = survey(
        function("C.f", parameters=("self", *six)), function("g", parameters=(*six, "h"))
    )
    (item,) = advised("", found)
    assert ("too_many_parameters", 1) == (item.kind, item.count)
    assert format_message(item.said, "es").startswith("`g` tiene 7 parámetros.")


def test_copies_are_shown_in_both_places() -> None:
    """The longest copy comes first, with the place of each of the two."""
    found = survey(
        repeated=(
            Repetition(first=place(9), second=place(19), statements=4),
            Repetition(first=place(3), second=place(5), statements=7),
        )
    )
    (item,) = advised("", found)
    assert ("repeated", 2, [3, 5, 9]) == (item.kind, item.count, [hit.line for hit in item.hits])
    assert "7 statements" in format_message(item.said, "en")


def test_docstrings_are_asked_for_where_some_have_one() -> None:
    """Who writes docstrings is asked for the rest; who writes none may have been told so."""
    bare = function("f", has_docstring=False)
    special = (
        function("C.__init__", has_docstring=False),
        function("f.<locals>.g", has_docstring=False),
    )
    assert [] == advised("", survey(bare, function("h", has_docstring=False)))
    assert [] == advised("", survey(function("h"), *special))
    (item,) = advised("", survey(bare, function("h"), *special))
    assert ("no_docstring", 1) == (item.kind, item.count)


def test_measures_stand_between_mistakes_and_habits() -> None:
    """A long function matters more than an import too many, and less than a bug."""
    text = "import math\ndef f(x=[]):\n    return x\n"
    found = survey(function("f", code_lines=31))
    expected = ["mutable_default", "too_long", "unused_import"]
    assert expected == [item.kind for item in advised(text, found)]


def test_facts_about_other_modules_are_left_out() -> None:
    """Given code is in the survey, perhaps, but not the student's."""
    found = survey(
        function("f", module="given", code_lines=99),
        repeated=(Repetition(first=place(1), second=place(2, "given"), statements=9),),
    )
    assert [] == advised("", found)


def test_places_that_do_not_exist_have_no_text() -> None:
    """The facts come from a process that might lie: a line too far is no line."""
    found = survey(*(function("f", line, code_lines=31) for line in (0, -1, 99)))
    (item,) = advised("print(1)\n", found)
    assert ["", "", ""] == [hit.text for hit in item.hits]


def test_without_ruff_there_is_less_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ruff is missing, or cannot be started, only our own measures remain."""
    long = survey(function("f", code_lines=31))
    for missing in (None, "/nowhere/ruff", os.devnull):
        monkeypatch.setattr(linting, "ruff", lambda missing=missing: missing)
        assert ["too_long"] == [item.kind for item in advised("import math\n", long)]
