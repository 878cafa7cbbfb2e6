"""Compares texts regardless of how different Python versions word their error messages.

A suite can be written with one version of Python and graded with another: on a laptop, in a browser
or a year later. The error of `max([])` differs between 3.11 and 3.12, and that must not cost a
right program points. The table covers the differences between 3.11 and 3.14, and between Linux and
WebAssembly, which were found by running some 600 failing expressions in each of them. Details that
only some versions include are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_MAX_CHARS: Final = 100_000
"""Longer texts are compared verbatim."""
_RULES: Final[tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...]] = (
    # No repetition is nested in another, or hostile text could make matching take forever.
    (
        r"\b(max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)",
        r"\1() of nothing",
    ),
    (
        (
            r"Can't instantiate abstract class (\w+) with(?:out an implementation for)?"
            r" abstract methods? ([\w', ]+)"
        ),
        # chr(39): up to Python 3.11 an f-string cannot contain its own quotes.
        lambda match: f"{match[1]} is abstract: {match[2].replace(chr(39), '')}",
    ),
    (
        (
            r"\bday (?:is out of range for month"
            r"|-?\d+ must be in range 1\.\.\d+ for month \d+ in year -?\d+)"
        ),
        "day out of range",
    ),
    (r"\byear (?:(-?\d+) is out of range|must be in 1\.\.9999, not (-?\d+))", r"year \1\2"),
    (r"\b((?:month|hour|minute|second|microsecond) must be in [01]\.\.\d+), not -?\d+", r"\1"),
    (
        (
            r"can't compare datetime\.\w+ to datetime\.\w+"
            r"|'[<>]=?' not supported between instances of 'datetime\.\w+' and 'datetime\.\w+'"
        ),
        "date against time",
    ),
    (
        (
            r"\bexpected (?:a (?:positive|nonnegative|finite) input"
            r"|a noninteger or positive integer"
            r"|a number (?:in range from -1 up to 1|between -1 and 1)"
            r"|argument value (?:not less than 1|> -1))(?:, got [-+.\w]{1,40})?"
        ),
        "math domain error",
    ),
    (
        (
            r"\b(?:integer division or modulo by zero|integer modulo by zero"
            r"|(?:float|complex) division by zero|float floor division by zero"
            r"|float modulo(?: by zero)?|float divmod\(\))"
        ),
        "division by zero",
    ),
    (r"\b0\.0 (?:cannot be raised )?(to a negative (?:or complex )?power)", r"zero \1"),
    (r"\(\d+, '(?:Numerical result out of range|Result not representable)'\)", "out of range"),
    (
        r"\bcannot use '[\w.]+' as a (?:set element|dict key) \((unhashable type: '[\w.]+')\)",
        r"\1",
    ),
    (r"( has no attribute '\w+') and no __dict__ for setting new attributes", r"\1"),
    (r"\btype object '\w+' has no attribute '(\w+)'", r"\1"),
    (r"'[\w.]{1,200}\.(\w+)' object (has no|does not support the context)", r"'\1' object \2"),
    (r"(the context manager protocol) \(missed __\w+__ method\)", r"\1"),
    (r"(\btoo many values to unpack \(expected \d+), got \d+\)", r"\1)"),
    (r"\bis not a container or iterable", "is not iterable"),
    (r"\b(?:count|find|index|rfind|rindex)\(\) argument 1 (must be str, not)", r"\1"),
    (r"\[Errno \d+\] ", ""),
    (r"(maximum recursion depth exceeded)(?: while calling a Python object| in comparison)", r"\1"),
    (
        r"\bempty range (?:for randrange\(\) \([-\d, ]+\)|in rand(?:range|int)\([-\d, ]+\))",
        "empty range",
    ),
    (r"(a string or a Rational instance) or have the as_integer_ratio\(\) method", r"\1"),
    (r"(non-default argument '\w+' follows default argument) '\w+'", r"\1"),
    (r"(\bcreate a consistent method resolution)\s(order)", r"\1 \2"),
)
_WITHOUT_ELEMENT: Final = "(x): x not in "
_NOT_IN_MESSAGE: Final = re.compile(r"(?:\S{1,80} is|\b\w+\.(?:index|remove)\(x\): x) not in (\w+)")
"""Matches messages about a missing element. Only some versions of Python name the element, so it is
compared only if both texts name it."""
_FORMER_NAMES: Final = {"PatternError": "error"}
"""Former names of standard library exceptions that were renamed in 3.13, keyed by new name."""


def differs_in_wording_only(text: str, counterpart: str) -> bool:
    """Return whether two texts are equal except for the wording of Python's error messages.

    Equal texts count too. Return False for long texts, which are not compared.
    """
    if max(len(text), len(counterpart)) > _MAX_CHARS:
        return False
    if (_WITHOUT_ELEMENT in text) is not (_WITHOUT_ELEMENT in counterpart):
        text, counterpart = (
            _NOT_IN_MESSAGE.sub(r"x not in \1", each) for each in (text, counterpart)
        )
    return _replace_wording(text) == _replace_wording(counterpart)


def with_former_names(type_names: tuple[str, ...]) -> tuple[str, ...]:
    """Return `type_names`, the names of an exception's classes, followed by their former names."""
    return (*type_names, *(_FORMER_NAMES[name] for name in type_names if name in _FORMER_NAMES))


def _replace_wording(text: str) -> str:
    """Return `text` with the wordings that versions disagree on replaced with a common one."""
    for pattern, replacement in _RULES:
        text = re.sub(pattern, replacement, text)
    return text
