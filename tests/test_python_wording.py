"""What Python says of the same mistake, from version to version."""

from __future__ import annotations

from importlib import import_module

import pytest
from matched_steps import gave, raised

from grader.judging.matching import match
from grader.judging.results import PASSED
from grader.sandbox.observation import Observation
from grader.suite.expectations import Expectation, Prints, Raises, Returns
from grader.values.literals import parse_literal
from grader.values.python_wording import differs_in_wording_only, with_former_names
from grader.verdict import Verdict

_CHANGED = [
    ("max([])", "max() arg is an empty sequence", "max() iterable argument is empty"),
    (
        "type('Shape', (abc.ABC,), {'area': abc.abstractmethod(lambda _: 0)})()",
        "Can't instantiate abstract class Shape with abstract method area",
        (
            "Can't instantiate abstract class Shape without an implementation"
            " for abstract method 'area'"
        ),
    ),
    (
        "type('A', (abc.ABC,), {n: abc.abstractmethod(lambda _: 0) for n in 'fg'})()",
        "Can't instantiate abstract class A with abstract methods f, g",
        (
            "Can't instantiate abstract class A without an implementation for abstract methods"
            " 'f', 'g'"
        ),
    ),
    (
        "datetime.date(2024, 2, 30)",
        "day is out of range for month",
        "day 30 must be in range 1..29 for month 2 in year 2024",
    ),
    ("datetime.date(0, 1, 1)", "year 0 is out of range", "year must be in 1..9999, not 0"),
    ("datetime.time(24)", "hour must be in 0..23", "hour must be in 0..23, not 24"),
    (
        "datetime.date.min < datetime.datetime.min",
        "can't compare datetime.datetime to datetime.date",
        "'<' not supported between instances of 'datetime.date' and 'datetime.datetime'",
    ),
    ("math.sqrt(-1)", "math domain error", "expected a nonnegative input, got -1.0"),
    ("math.log(0)", "math domain error", "expected a positive input"),
    ("math.acosh(0)", "math domain error", "expected argument value not less than 1, got 0.0"),
    ("1 // 0", "integer division or modulo by zero", "division by zero"),
    ("1.0 % 0", "float modulo", "division by zero"),
    ("0 ** -1", "0.0 cannot be raised to a negative power", "zero to a negative power"),
    (
        "10.0 ** 1000",
        "(34, 'Numerical result out of range')",
        "(68, 'Result not representable')",
    ),
    (
        "{[]: 1}",
        "unhashable type: 'list'",
        "cannot use 'list' as a dict key (unhashable type: 'list')",
    ),
    ("[1].index(2)", "2 is not in list", "list.index(x): x not in list"),
    (
        "setattr(5, 'x', 1)",
        "'int' object has no attribute 'x'",
        "'int' object has no attribute 'x' and no __dict__ for setting new attributes",
    ),
    (
        "enum.Enum('Colour', 'RED').BLUE",
        "BLUE",
        "type object 'Colour' has no attribute 'BLUE'",
    ),
    (
        "exec('a, b = [1, 2, 3]')",
        "too many values to unpack (expected 2)",
        "too many values to unpack (expected 2, got 3)",
    ),
    (
        "1 in 5",
        "argument of type 'int' is not iterable",
        "argument of type 'int' is not a container or iterable",
    ),
    ("'a'.count(1)", "must be str, not int", "count() argument 1 must be str, not int"),
    (
        "open('/no/such/file')",
        "[Errno 2] No such file or directory: '/no/such/file'",
        "[Errno 44] No such file or directory: '/no/such/file'",
    ),
    (
        "random.randint(5, 1)",
        "empty range for randrange() (5, 2, -3)",
        "empty range in randint(5, 1)",
    ),
]


@pytest.mark.parametrize(("_expression", "old", "new"), _CHANGED)
def test_old_and_new_words_are_the_same(_expression: str, old: str, new: str) -> None:
    """What 3.11 says and what 3.14 says is the same, in a line of output as well."""
    assert differs_in_wording_only(old, new)
    assert differs_in_wording_only(f"Error: {new}!\n", f"Error: {old}!\n")


def _said_of(expression: str) -> str:
    modules = ("abc", "datetime", "enum", "math", "random")
    try:
        eval(expression, {name: import_module(name) for name in modules})
    except Exception as error:  # noqa: BLE001 - whatever it is, its words are what we want
        return str(error)
    return ""


@pytest.mark.parametrize(("expression", "old", "_new"), _CHANGED)
def test_this_python_says_what_is_known(expression: str, old: str, _new: str) -> None:
    """The Python that runs these tests has no words that the table lacks."""
    assert differs_in_wording_only(old, _said_of(expression))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("2 is not in list", "3 is not in list"),
        ("list.index(x): x not in list", "2 is not in tuple"),
        ("invalid literal for int() with base 10: 'a'", "could not convert string to float: 'a'"),
        ("month must be in 1..12", "hour must be in 0..23, not 24"),
        ("max() arg is an empty sequence", "min() iterable argument is empty"),
        ("division by zero " * 10_000, "float modulo " * 10_000),
    ],
)
def test_other_messages_differ(text: str, other: str) -> None:
    """What Python says of another mistake, or of another value, is something else."""
    assert not differs_in_wording_only(text, other)


_MESSAGE = "max() arg is an empty sequence"
_NOW = "max() iterable argument is empty"


@pytest.mark.parametrize(
    ("expectation", "seen"),
    [
        (Raises("ValueError", _MESSAGE), raised("ValueError", message=_NOW)),
        (Prints(f"Oops: {_MESSAGE}\n"), gave(None, f"Oops: {_NOW}\n")),
        (Returns(parse_literal(repr(_MESSAGE)), repr(_MESSAGE)), gave(_NOW)),
    ],
)
def test_right_program_passes_with_any_python(expectation: Expectation, seen: Observation) -> None:
    """A message of Python's own may be raised, printed or returned in the words of its version."""
    assert match(expectation, seen, {}) == PASSED


def test_wrong_text_is_wrong_still() -> None:
    """A text that is not Python's is compared letter by letter."""
    assert match(Prints("2 is not here\n"), gave(None, "3 is not here\n"), {}).verdict is (
        Verdict.WRONG
    )


def test_renamed_exception_has_both_names() -> None:
    """A suite may name an exception as it was called before."""
    assert with_former_names(("PatternError", "Exception")) == (
        "PatternError",
        "Exception",
        "error",
    )
