"""Says what a YAML parser complains about, where it is, and what usually helps."""

from __future__ import annotations

import re
from typing import Final

import yaml

from grader.display import one_line
from grader.loading.diagnostics import Diagnostic
from grader.loading.source import START, Place, Source

_TAB_INDENT: Final = re.compile(r" *(?=\t)")
_QUOTE: Final = "put the text in quotes, or after a | with the text on the lines below"
_INDENT: Final = f"check the indentation; when text follows a quote or a bracket, {_QUOTE}"
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("mapping values are not allowed", f"text cannot hold a colon and a blank: {_QUOTE}"),
    ("cannot start any token", f"text cannot begin with this character: {_QUOTE}"),
    ("unexpected end of stream", "the quote that opens here is never closed"),
    ("expected ',' or", "a bracket is not closed, or text in brackets needs quotes"),
    ("incompatible YAML", "leave out the line that begins with %YAML"),
    ("'-' indicator", "items of a list begin with `- ` in the same column"),
    ("expected key", _INDENT),
    ("block end", _INDENT),
)
"""What helps against a complaint, found by a part of it that libyaml and PyYAML share."""


def syntax_error(source: Source, error: yaml.YAMLError) -> Diagnostic:
    """Return the diagnostic for `error`, which parsing `source` ended with."""
    complaint = getattr(error, "problem", None) or "it cannot be parsed"
    mark = getattr(error, "problem_mark", None)
    opened = getattr(error, "context_mark", None)
    if "unexpected end of stream" in complaint and opened is not None:
        mark = opened  # the end of the file says less than the quote that was opened
    place = START if mark is None else Place(mark.line + 1, mark.column + 1)
    indent = _TAB_INDENT.match(source.line(place.line))
    if indent:
        return source.diagnostic(
            Place(place.line, indent.end() + 1),
            "a tab is used for indentation",
            "YAML indents with spaces only: replace the tab by spaces",
        )
    advice = next((advice for part, advice in _ADVICE if part in complaint), _QUOTE)
    return source.diagnostic(place, f"this is no YAML: {one_line(complaint)}", advice)
