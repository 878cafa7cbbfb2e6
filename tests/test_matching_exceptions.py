"""Exceptions, refused actions and dead executors, compared with what was expected."""

from __future__ import annotations

import pytest
from matched_steps import gave, raised, returns, sentences

from grader.judging.matching import compare_observer, match
from grader.judging.results import PASSED
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.observation import Died, Observation
from grader.suite.expectations import Completes, Expectation, Prints, Raises, SameAs
from grader.verdict import Verdict

# Exceptions


@pytest.mark.parametrize(
    ("expectation", "types", "message"),
    [
        (Raises("ValueError", None), ("ValueError", "Exception"), "anything"),
        (Raises("ValueError", "no"), ("ValueError", "Exception"), "no"),
        (Raises("Exception", "no"), ("ValueError", "Exception"), "no"),
        (Raises("Wrong", None), ("Wrong", "ValueError", "Exception"), ""),
        (Raises("RecursionError", None), ("RecursionError", "RuntimeError"), "deep"),
        (Raises("SystemExit", "2"), ("SystemExit", "BaseException"), "2"),
        (Raises("AssertionError", ""), ("AssertionError",), ""),
    ],
)
def test_the_right_exception_passes(
    expectation: Raises, types: tuple[str, ...], message: str
) -> None:
    """Type or base type must fit, and the message only where one is given."""
    assert match(expectation, raised(*types, message=message), {}) == PASSED


@pytest.mark.parametrize(
    ("seen", "verdict", "said"),
    [
        (
            raised("KeyError", message="'no'"),
            Verdict.WRONG,
            "An exception of type ValueError is expected, but your code raises KeyError: 'no'",
        ),
        (
            raised("ValueError", "Exception", message="No"),
            Verdict.WRONG,
            "The type of the exception is right, but its message is `No`; it should be `no`.",
        ),
        (
            raised("Exception", message="no"),
            Verdict.WRONG,
            "An exception of type ValueError is expected, but your code raises Exception: no",
        ),
        (
            gave(None),
            Verdict.WRONG,
            "This must raise ValueError, but your code raises no exception.",
        ),
        (
            gave(None, stdout="no\n"),
            Verdict.WRONG,
            (
                "Your code prints the message. It should raise ValueError with that message "
                "instead: use `raise`."
            ),
        ),
        (
            gave("no"),
            Verdict.WRONG,
            (
                "Your code returns the message. It should raise ValueError with that message "
                "instead: use `raise`."
            ),
        ),
        (
            raised("RecursionError", "RuntimeError", depth=990),
            Verdict.ERROR,
            (
                "Your code keeps calling itself: it was still going after 990 calls. "
                "Is there a base case, and does each call come closer to it?"
            ),
        ),
        (
            raised("SystemExit", "BaseException"),
            Verdict.EXITED,
            (
                "Your code ended the program in this step, for instance with `exit()`. "
                "Remove that call."
            ),
        ),
        (
            raised("MemoryError"),
            Verdict.MEMORY,
            "This step used up all memory. Does something keep growing?",
        ),
    ],
)
def test_refusals_that_are_not_what_was_asked(
    seen: Observation, verdict: Verdict, said: str
) -> None:
    """A wrong type, a wrong message and no exception at all are told apart."""
    outcome = match(Raises("ValueError", "no"), seen, {})
    assert verdict is outcome.verdict
    assert [said] == sentences(outcome)
    assert outcome.expected == "ValueError: no"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("message", ["", "  ", "\t", "\u2003"])
@pytest.mark.parametrize("expectation", [Raises("ValueError", "no"), returns("5")])
def test_no_sentence_about_an_exception_without_a_message_ends_in_a_colon(
    expectation: Expectation, message: str, language: str
) -> None:
    """Where there is nothing after the colon, there is no colon and no blank, in any language."""
    outcome = match(expectation, raised("KeyError", message=message), {})
    (said,) = [format_message(each, language) for each in outcome.explanation]
    assert said == said.rstrip().rstrip(":").rstrip()


UNEXPECTED: list[tuple[tuple[str, ...], Verdict, str]] = [
    (("RecursionError",), Verdict.ERROR, "error.too_deep"),
    (("EOFError",), Verdict.ERROR, "error.input"),
    (("NameError",), Verdict.ERROR, "error.name"),
    (("UnboundLocalError", "NameError"), Verdict.ERROR, "error.unbound"),
    (("AttributeError",), Verdict.ERROR, "error.attribute"),
    (("TypeError",), Verdict.ERROR, "error.type"),
    (("IndexError",), Verdict.ERROR, "error.index"),
    (("KeyError",), Verdict.ERROR, "error.key"),
    (("FileNotFoundError",), Verdict.ERROR, "error.file"),
    (("AssertionError",), Verdict.ERROR, "error.assertion"),
    (("ZeroDivisionError",), Verdict.ERROR, "error.exception"),
    (("Own", "TypeError"), Verdict.ERROR, "error.exception"),
    (("SystemExit",), Verdict.EXITED, "died.exited"),
    (("Bye", "SystemExit"), Verdict.EXITED, "died.exited"),
    (("MemoryError",), Verdict.MEMORY, "died.memory"),
    (("ModuleNotAllowed", "ModuleNotFoundError"), Verdict.FORBIDDEN, "error.module"),
]


@pytest.mark.parametrize(("types", "verdict", "key"), UNEXPECTED)
@pytest.mark.parametrize("expectation", [returns("5"), Prints("a"), SameAs("p"), Completes()])
def test_exceptions_that_nobody_asked_for(
    expectation: Expectation, types: tuple[str, ...], verdict: Verdict, key: str
) -> None:
    """Each common exception has advice of its own, whatever was expected."""
    outcome = match(expectation, raised(*types, message="why"), {"p": 1})
    assert verdict is outcome.verdict
    assert [key] == [each.key for each in outcome.explanation]
    assert f"{types[0]}: why" == outcome.got


@pytest.mark.parametrize(
    ("depth", "key"), [(0, "too_deep"), (1, "too_deep"), (2, "recursion"), (990, "recursion")]
)
def test_who_makes_one_call_is_not_told_that_it_calls_itself(depth: int, key: str) -> None:
    """Python can go too deep by itself, in a value that contains itself for instance."""
    outcome = match(returns("5"), raised("RecursionError", depth=depth), {})
    assert [f"error.{key}"] == [each.key for each in outcome.explanation]


# A refused action changes nothing


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        (gave("w--"), gave("w--"), True),
        (gave([1, 2]), gave([1, 2]), True),
        (gave({2, 1}), gave({1, 2}), True),
        (gave("w--"), gave("ww-"), False),
        (gave("w--"), gave(None), False),
        (gave("w--"), raised("TypeError"), False),
        (gave("w--"), Observation(outcome=Died(verdict=Verdict.CRASHED, evidence="")), False),
        (raised("TypeError"), gave("w--"), True),
    ],
)
def test_observers_compare_before_and_after(
    before: Observation,
    after: Observation,
    passed: bool,
) -> None:
    """What was seen before must be seen after; what could not be seen before is no witness."""
    outcome = compare_observer("str(p)", before, after)
    assert passed == outcome.passed
    if not passed:
        assert "afterwards `str(p)` is not what it was before" in sentences(outcome)[0]


# What ends everything


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict.TIMED_OUT,
        Verdict.MEMORY,
        Verdict.OUTPUT,
        Verdict.CRASHED,
        Verdict.EXITED,
        Verdict.FORBIDDEN,
        Verdict.TAMPERED,
    ],
)
@pytest.mark.parametrize(
    "expectation", [returns("None"), Prints(""), Raises("ValueError", None), Completes()]
)
def test_a_dead_executor_never_passes(expectation: Expectation, verdict: Verdict) -> None:
    """However an executor died, its step has that verdict and a sentence about it."""
    dead = Observation(outcome=Died(verdict=verdict, evidence="for staff"))
    outcome = match(expectation, dead, {})
    assert verdict is outcome.verdict
    assert [f"died.{verdict.lower()}"] == [each.key for each in outcome.explanation]
    assert "for staff" not in "".join(sentences(outcome))


def test_completing_asks_for_nothing_else() -> None:
    """A statement passes when it ends without an exception."""
    assert match(Completes(), gave(None, "text"), {}) == PASSED


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("f() takes 1 positional argument but 2 were given", "error.arguments"),
        ("C.f() missing 1 required positional argument: 'x'", "error.arguments"),
        ("f() got an unexpected keyword argument 'y'", "error.arguments"),
        ("range expected at least 1 argument, got 0", "error.arguments"),
        ("unsupported operand type(s) for +: 'int' and 'str'", "error.type"),
        ("int() argument must be a string, not 'list'", "error.type"),
    ],
)
def test_wrong_arguments_are_no_wrong_type(text: str, key: str) -> None:
    """Python has one type of exception for both; a student hears which it is."""
    (said,) = match(Completes(), raised("TypeError", message=text), {}).explanation
    assert key == said.key


@pytest.mark.parametrize("type_name", ["TypeError", "AttributeError", "IndexError", "ValueError"])
def test_exception_of_the_step_itself_is_not_put_on_a_line_of_theirs(type_name: str) -> None:
    """Where no code of the submission ran, it is the step that cannot use what it got."""
    (said,) = match(Completes(), raised(type_name, message="no", depth=0), {}).explanation
    (own,) = match(Completes(), raised(type_name, message="no"), {}).explanation
    assert "error.in_step" == said.key != own.key
