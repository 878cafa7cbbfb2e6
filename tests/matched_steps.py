"""Steps as they were observed, what was expected of them, and what their outcome explains."""

from __future__ import annotations

from grader.executor.encoding import encode
from grader.judging.results import Result
from grader.reporting.wording import format_message
from grader.sandbox.observation import Observation, Raised, Returned
from grader.suite.expectations import Returns
from grader.values.decoding import decode
from grader.values.literals import parse_literal


def gave(value: object, stdout: str = "", identity: int | None = None) -> Observation:
    """Return the observation of a step that returned `value`."""
    outcome = Returned(value=decode(encode(value)), identity=identity)
    return Observation(outcome=outcome, stdout=stdout)


def raised(*types: str, message: str = "", depth: int = 1, stdout: str = "") -> Observation:
    """Return the observation of a step that raised an exception with these types."""
    outcome = Raised(type_names=types, message=message, depth=depth)
    return Observation(outcome=outcome, stdout=stdout)


def returns(text: str) -> Returns:
    """Return the expectation that a suite writes as `text`."""
    return Returns(parse_literal(text), text)


def sentences(outcome: Result) -> list[str]:
    """Return the explanation of `outcome` in English."""
    return [format_message(each, "en") for each in outcome.explanation]
