"""The questions that a teacher can ask about a submission."""

from __future__ import annotations

from dataclasses import replace

import pytest
from record_samples import case, group, line, record
from ruled_records import rule, ruled, said

from grader.judging.record import LineStatus, Record, SourceLine, SourceText
from grader.messages import Message, message
from grader.reporting.questions import Question, questions
from grader.reporting.wording import LANGUAGES, Locale, phrase
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

AT_LINE = SourceLine(file="f.py", line=7, function="f", text="    x = g(x)")


def asked(given: Record, most: int = 3) -> tuple[Question, ...]:
    """Return what can be asked about `given`, in English."""
    return questions(given, Locale.for_language("en"), most)


def failing(
    *explanation: Message,
    verdict: Verdict = Verdict.WRONG,
    source: SourceLine | None = None,
    visibility: Visibility = Visibility.PUBLIC,
) -> Record:
    """Return the record of one failure."""
    failed = case(verdict=verdict, explanation=explanation, source=source, visibility=visibility)
    return record(group("f", failed))


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("wrong", failing(message("wrong.length", expected=3, got=2))),
        ("allowed", failing(message("raises.nothing", expected_type="ValueError"))),
        ("changed", failing(message("unchanged.differs", observer="x"))),
        ("stop", failing(message("died.timed_out"), verdict=Verdict.TIMED_OUT)),
        ("stop", failing(verdict=Verdict.MEMORY)),
        ("stop", failing(message("error.recursion", depth=99), verdict=Verdict.ERROR)),
        ("outside", failing(message("died.exited"), verdict=Verdict.EXITED)),
        ("wrong", failing(message("error.index", message="out"), verdict=Verdict.ERROR)),
    ],
)
def test_kind_of_failure_says_what_to_ask(key: str, given: Record) -> None:
    """What is said of a failure, or else its verdict, says what kind of question it is."""
    assert [phrase("en", f"report.sheet_ask_{key}")] == [each.asked for each in asked(given)]


def test_line_of_the_code_is_in_the_question() -> None:
    """An exception is asked about at its line, and one that the code itself raises as a refusal."""
    said_of_it = message("error.type", message="no")
    (raised,) = asked(failing(said_of_it, verdict=Verdict.ERROR, source=AT_LINE))
    assert phrase("en", "report.sheet_ask_error", line=7) == raised.asked
    assert (("7", "x = g(x)"),) == raised.lines
    own = replace(AT_LINE, text="    raise ValueError")
    (refused,) = asked(failing(said_of_it, verdict=Verdict.ERROR, source=own))
    assert phrase("en", "report.sheet_ask_refused", line=7) == refused.asked


def test_endless_recursion_is_asked_about_where_it_begins() -> None:
    """The function that calls itself is what matters, not the line where room ran out."""
    told = (message("error.recursion", depth=9), message("endless.itself", function="f", line=4))
    (question,) = asked(failing(*told, verdict=Verdict.ERROR, source=AT_LINE))
    assert phrase("en", "report.sheet_ask_endless", line="4") == question.asked


def test_missing_name_is_asked_for_once() -> None:
    """However many parts need it, where it is is one question."""
    cases = (
        case(f"{part}/1", Verdict.SKIPPED, explanation=(message("skipped.name", name="Board"),))
        for part in "fgh"
    )
    given = record(*(group(each.id[0], each) for each in cases))
    assert [phrase("en", "report.sheet_ask_missing", name="Board")] == [
        each.asked for each in asked(given)
    ]


def test_same_line_is_asked_about_once() -> None:
    """Failures of two parts at one line of the code have one question, and another line its own."""
    other = replace(AT_LINE, line=8)
    given = record(
        group("f", case("f/1", Verdict.ERROR, source=AT_LINE)),
        group("g", case("g/1", Verdict.ERROR, source=AT_LINE)),
        group("h", case("h/1", Verdict.ERROR, source=other)),
    )
    assert [(("7", "x = g(x)"),), (("8", "x = g(x)"),)] == [each.lines for each in asked(given)]
    assert 1 == len(asked(given, 1))


def test_hidden_case_is_shown_where_no_public_one_fails() -> None:
    """Staff gets the call of a hidden case, and a word that the student has not seen it."""
    given = failing(visibility=Visibility.HIDDEN)
    (question,) = asked(given)
    assert ("f(1)",) == question.steps
    assert str(question.part).endswith(phrase("en", "report.sheet_hidden"))
    public = case("f/2", Verdict.WRONG, code="f(2)")
    (question,) = asked(record(group("f", *given.cases, public)))
    assert ("f(2)",) == question.steps
    assert phrase("en", "report.sheet_hidden") not in str(question.part)


def test_steps_that_lead_to_a_failure_are_told() -> None:
    """What gives a name its meaning stands above the call, and the last step before it."""
    steps = ("b = Board(3)", "x = 1", "x", "x", "b.turn()")
    transcript = tuple(line(each, "") for each in steps[:-1])
    failed = case(
        verdict=Verdict.WRONG,
        transcript=(*transcript, line("b.turn()", "1", LineStatus.FAILED)),
    )
    (question,) = asked(record(group("f", failed)))
    assert ("b = Board(3)", "x", "b.turn()") == question.steps


def test_file_that_cannot_be_run_is_a_question() -> None:
    """What is wrong with it is told, with the line."""
    given = replace(
        record(),
        status=Status.UNGRADABLE,
        remarks=(message("ungradable.syntax", file="f.py", line=2, message="no", column=1),),
        sources=(SourceText(name="f.py", text="a = 1\nb = (\n"),),
    )
    (question,) = asked(given)
    assert phrase("en", "report.sheet_ask_load") == question.asked
    assert (("2", "b = ("),) == question.lines
    assert () == asked(replace(given, status=Status.FAULT))


def test_who_has_nothing_to_mend_explains_her_longest_function() -> None:
    """It is the longest one, up to its last line, and a rule about a function that she keeps to."""
    first = "def a():\n    pass\n\nclass B:\n"
    text = f"{first}    def b(self):\n        x = 1\n\n        if x:\n            y\n"
    given = replace(
        ruled(rule("recursion/f", RuleVerdict.PASSED)),
        sources=(SourceText(name="f.py", text=text + "z = 3\n"),),
    )
    about_code, about_rule = asked(given)
    assert phrase("en", "report.sheet_ask_lines", first=5, last=9, name="b") == about_code.asked
    assert phrase("en", "report.sheet_ask_kept") == about_rule.asked
    assert (Locale.for_language("en").sentence(said("demand of recursion/f")),) == about_rule.why


def test_a_comment_at_the_margin_does_not_end_a_function() -> None:
    """The function goes on below it, and a comment after its last line is no part of it."""
    text = "def a():\n    x = 1\n# x = 2\n    y = 3\n    return x\n# the end\nz = 3\n"
    (question,) = asked(replace(ruled(), sources=(SourceText(name="f.py", text=text),)))
    assert phrase("en", "report.sheet_ask_lines", first=1, last=5, name="a") == question.asked


def test_short_functions_need_no_explanation() -> None:
    """Where there is nothing to ask, nothing is asked."""
    assert () == asked(ruled())
    short = SourceText(name="f.py", text="def f(x):\n    return x\n")
    assert () == asked(replace(ruled(), sources=(short,)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_speak_the_language_of_the_record(language: str) -> None:
    """What is asked is in the language of the exercise."""
    (question,) = questions(failing(), Locale.for_language(language), 3)
    assert phrase(language, "report.sheet_ask_wrong") == question.asked
