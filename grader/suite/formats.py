"""The format number of suites, and the errors for suites of another format.

The number grows when something that suites can contain is removed or changes its meaning. A new key
needs no new number, as earlier graders report it as unknown. A suite without a number was written
by hand, or by a grader that had no format numbers yet. It is read as usual, but if it uses
something that was removed, the error names the command that upgrades it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from grader.suite.diagnostics import InvalidSuite, Position, quote
from grader.values.foreign_text import one_line

if TYPE_CHECKING:  # most suites come from the cache, which needs neither
    from pydantic_core import ErrorDetails

    from grader.suite.document import Document

FORMAT: Final = 2
"""The format of suites that this grader writes."""
OLDEST: Final = 1
"""The format of a suite without a number."""
_KEY: Final = "format"
_REMOVED_KEYS: Final = frozenset({"drawn", "group_timeouts", "pool", "tiling", "timeouts"})
"""Keys that only earlier formats have."""
_REMOVED_WORDS: Final = frozenset({("feedback", "verdict")})
"""Pairs of a key and a value that only earlier formats have."""
_NEWLY_REQUIRED: Final = frozenset({"content"})
"""Keys that were optional in earlier formats."""


def refuse_newer(document: Document) -> None:
    """Raise `InvalidSuite` if `document` has a newer format than this grader reads."""
    format_number = document.data.get(_KEY)
    if isinstance(format_number, int) and format_number > FORMAT:
        raise _refusal(
            document,
            document.node((_KEY,)).position,
            f"a newer grader wrote this: it has format {format_number}, and this one reads"
            f" up to {FORMAT}",
            "install the newer grader, or run derive and generate again with this one",
        )


def refuse_earlier(document: Document, errors: Iterable[ErrorDetails]) -> None:
    """Raise `InvalidSuite` if one of the `errors` in `document` comes from an earlier format.

    Do nothing if the document has the number of the current format.
    """
    if document.data.get(_KEY, OLDEST) != FORMAT:
        for error in errors:
            if _shows_earlier_format(error):
                path = error["loc"] if document.has(error["loc"]) else error["loc"][:-1]
                raise _refusal(
                    document,
                    document.key_position(path),
                    f"an earlier grader wrote this: {_describe_change(error)}",
                    f"run: grader upgrade {one_line(document.source.name)}",
                )


def _shows_earlier_format(error: ErrorDetails) -> bool:
    """Return whether `error` is about something that an earlier format allowed."""
    key = error["loc"][-1]
    match error["type"]:
        case "extra_forbidden":
            return key in _REMOVED_KEYS
        case "missing":
            return key in _NEWLY_REQUIRED
        case "literal_error":
            return (key, error["input"]) in _REMOVED_WORDS
        case _:
            return False


def _describe_change(error: ErrorDetails) -> str:
    """Return how the key or word that `error` is about has changed since the earlier format."""
    key = quote(str(error["loc"][-1]))
    match error["type"]:
        case "extra_forbidden":
            return f"there is no key {key} any more"
        case "missing":
            return f"{key} is required now"
        case _:
            return f"{key} cannot be {quote(str(error['input']))} any more"


def _refusal(document: Document, position: Position, message: str, advice: str) -> InvalidSuite:
    source = document.source
    return InvalidSuite(source.name, [source.diagnostic(position, message, advice)])
