"""What is said of an exception that nobody asked for."""

from __future__ import annotations

import re
from typing import Final

from grader.judging.results import Result
from grader.messages import message
from grader.sandbox.observation import Raised
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import Verdict


def exception_text(raised: Raised) -> str:
    """Return the last line of the traceback that an interpreter would show."""
    name = one_line(raised.type_names[0])
    return f"{name}: {shown_text(raised.message, 1000)}" if raised.message else name


def unexpected(raised: Raised, expected: str | None) -> Result:
    """Return the outcome of an exception that nobody asked for."""
    verdict = Verdict.ERROR
    if "SystemExit" in raised.type_names:
        verdict, key = Verdict.EXITED, "died.exited"
    elif "MemoryError" in raised.type_names:
        verdict, key = Verdict.MEMORY, "died.memory"
    elif "ModuleNotAllowed" in raised.type_names:
        verdict, key = Verdict.FORBIDDEN, "error.module"
    else:
        key = _EXCEPTION_ADVICE.get(raised.type_names[0], "error.exception")
        if key == "error.type" and _ARGUMENTS.match(raised.message):
            key = "error.arguments"
        if raised.depth == 0 and key in _OF_VALUES:
            key = "error.in_step"
        if key == "error.recursion" and raised.depth <= 1:
            key = "error.too_deep"  # its own code does not show that it calls itself
    said = message(
        key,
        type=one_line(raised.type_names[0]),
        message=one_line(raised.message),
        module=one_line(raised.module),
        depth=raised.depth,
    )
    return Result(
        verdict=verdict, explanation=(said,), expected=expected, got=exception_text(raised)
    )


_ARGUMENTS: Final = re.compile(
    r"\S+ (takes|missing|got (an unexpected|multiple|some)|expected (at [lm]|\d)).*argument"
)
"""What Python says of a call whose arguments do not fit."""
_OF_VALUES: Final = frozenset(
    {"error.attribute", "error.exception", "error.index", "error.key", "error.type"}
)
"""What is wrong with a value that the step itself works with, where no code of theirs ran."""
_EXCEPTION_ADVICE: Final = {
    "RecursionError": "error.recursion",
    "EOFError": "error.input",
    "NameError": "error.name",
    "UnboundLocalError": "error.unbound",
    "AttributeError": "error.attribute",
    "TypeError": "error.type",
    "IndexError": "error.index",
    "KeyError": "error.key",
    "FileNotFoundError": "error.file",
    "ModuleNotFoundError": "error.no_module",
    "AssertionError": "error.assertion",
}
