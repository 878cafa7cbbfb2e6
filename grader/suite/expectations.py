"""The expectations of steps, and their parsers."""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from grader.protocol import HIGHEST_CAPS, MAX_MESSAGE_CHARS
from grader.suite.diagnostics import Refusal, quote
from grader.suite.fields import editor_pattern, parsed_by
from grader.suite.texts import DOTTED_PATTERN, IDENTIFIER_PATTERN, is_name
from grader.values.constraints import ParsedBy
from grader.values.leniency import STRICT, Leniency
from grader.values.literals import LiteralError, parse_literal
from grader.values.tree import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedExpectation:
    """An expectation that is compared, with some leniency, with the result of a step."""

    leniency: Leniency = STRICT
    alternatives: tuple[Returns | Prints | Raises, ...] = ()
    """Other expectations of the same kind; a result that meets one of them is right as well."""
    typed: tuple[str, ...] = ()
    """Lines typed as input. Printed text is compared with and without them."""


@dataclass(frozen=True, slots=True)
class Returns(ComparedExpectation):
    """The step must return `value`; `text` is its literal in the suite."""

    value: Value
    text: str
    as_lists: bool = False
    """Whether arrays and lists of rows with equal elements count as equal."""


@dataclass(frozen=True, slots=True)
class Accepts:
    """The step must return an answer that the author's checker accepts.

    `code` is an expression that calls a checker, in which `answer` is the returned value.
    """

    code: str


@dataclass(frozen=True, slots=True)
class Prints(ComparedExpectation):
    """The step must print this text; trailing whitespace and final newlines do not count."""

    text: str


@dataclass(frozen=True, slots=True)
class Shows(Prints):
    """The prompt must show this text, which is printed output and displayed values."""

    is_value: bool = False
    """Whether the step is an expression, whose value is displayed in addition to its output."""


@dataclass(frozen=True, slots=True)
class Raises(ComparedExpectation):
    """The step must raise an exception of this type and, unless `message` is None, with it."""

    type_name: str
    message: str | None


@dataclass(frozen=True, slots=True)
class SameAs:
    """The step must return the same object that `name` is bound to."""

    name: str


@dataclass(frozen=True, slots=True)
class Completes:
    """The step, a statement, must not raise anything."""


@dataclass(frozen=True, slots=True)
class Exits:
    """The step, a program with these lines `typed` as input, must end with this exit code."""

    code: int
    typed: tuple[str, ...]
    printed: Prints | None
    """The expected output on the screen, or None if any is right."""
    accepts: str | None = None
    """The author's expression that checks the output, for programs with many right outputs. In the
    expression, `answer` is the output."""


Expectation: TypeAlias = Returns | Accepts | Prints | Raises | SameAs | Completes | Exits

_RAISES_PATTERN: Final = rf"{DOTTED_PATTERN.removesuffix('$')}(: [\s\S]+)?\s*$"
_RAISES: Final = re.compile(
    r"(?P<type>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<colon>:)?(?: (?P<message>.+))?", re.DOTALL
)


def _parse_returns(text: str) -> Returns:
    """Return the expectation that a step returns the value of the Python literal `text`.

    Raises `Refusal` if `text` is not a literal.
    """
    try:
        return Returns(parse_literal(text, HIGHEST_CAPS), text.strip())
    except LiteralError as error:
        raise Refusal(error.problem, error.advice, offset=error.column, width=1) from error


def _parse_raises(text: str) -> Raises:
    """Return the expectation of the exception in `text`, written as `Type` or as `Type: message`.

    Raises `Refusal` if `text` is malformed, `Type` is not an exception, or the message is too long.
    """
    # A literal block in YAML (`|`) ends with a newline.
    match = _RAISES.fullmatch(text.rstrip("\n"))
    if match is None or bool(match["colon"]) != bool(match["message"]):
        raise Refusal(
            f"{quote(text)} is not an exception",
            "write a type, or a type and its message, such as AssertionError: invalid move",
        )
    # Executors report class names without modules.
    type_name, message = match["type"].rpartition(".")[2], match["message"]
    # A name that is not built in might be an exception that the submission defines.
    known = vars(builtins).get(type_name, Exception)
    if not (isinstance(known, type) and issubclass(known, BaseException)):
        advice = "write the type of an exception, such as AssertionError"
        raise Refusal(f"{quote(type_name)} is not an exception", advice)
    if len(message or "") > MAX_MESSAGE_CHARS:
        problem = f"the message is longer than {MAX_MESSAGE_CHARS:,} characters"
        raise Refusal(problem, "leave it out, because a longer message cannot be compared")
    return Raises(type_name, message)


def _parse_same_as(text: str) -> SameAs:
    """Return the expectation that a step returns the object to which the name `text` is bound.

    Raises `Refusal` if `text` is not a name.
    """
    if not is_name(text):
        advice = "write a name that an earlier step assigns, such as puzzel"
        raise Refusal(f"{quote(text)} is not a name", advice)
    return SameAs(text)


def parse_tolerance(value: object) -> Leniency:
    """Return the leniency for `value`, a number or a share of the expected number such as `1%`.

    Raises `Refusal` if `value` is neither, is not more than 0, or is infinite.
    """
    is_share = isinstance(value, str)
    # A bool is an int for `isinstance`, but not a tolerance.
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Refusal("this is not a tolerance", _TOLERANCE_ADVICE)
    if isinstance(value, str):
        match = _PERCENT.fullmatch(value)
        if match is None:
            raise Refusal(f"{quote(value)} is not a tolerance", _TOLERANCE_ADVICE)
        value = float(match[1]) / 100
    if not (0 < value < math.inf):
        problem = "infinite" if value == math.inf else "not more than 0"
        raise Refusal(f"the tolerance is {problem}", _TOLERANCE_ADVICE)
    return Leniency(relative=value) if is_share else Leniency(absolute=value)


_PERCENT: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?%")
_TOLERANCE_ADVICE: Final = (
    "write a number such as 0.01, or a share of the expected number such as 1%"
)


class _NumberOrShare:
    """Annotation that describes a tolerance in the JSON Schema as a number or text.

    A pydantic union would instead add the name of the attempted type to the path of each error.
    """

    def __get_pydantic_json_schema__(self, _schema: object, _handler: object) -> dict[str, Any]:
        """Return the JSON Schema of a tolerance."""
        return {"anyOf": [{"type": "number"}, {"type": "string"}]}


Tolerance: TypeAlias = Annotated[
    Leniency,
    ParsedBy(parse_tolerance, replaces_validation=True),
    _NumberOrShare(),
]
ReturnsText: TypeAlias = Annotated[Returns, parsed_by(_parse_returns)]
PrintsText: TypeAlias = Annotated[Prints, parsed_by(Prints)]
ShowsText: TypeAlias = Annotated[Shows, parsed_by(Shows)]
RaisesText: TypeAlias = Annotated[Raises, parsed_by(_parse_raises), editor_pattern(_RAISES_PATTERN)]
SameAsText: TypeAlias = Annotated[
    SameAs, parsed_by(_parse_same_as), editor_pattern(IDENTIFIER_PATTERN)
]

ALTERNATIVE_PARSERS: Final[Mapping[str, Callable[[str], Returns | Prints | Raises]]] = {
    "returns": _parse_returns,
    "stdout": Prints,
    "shows": Shows,
    "raises": _parse_raises,
}
"""Parsers of alternatives, keyed by the key whose expectation the alternatives add to."""
