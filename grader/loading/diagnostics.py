"""What is wrong with a suite, and where: one `Diagnostic` per mistake, shown as compilers do.

::

    error: unknown key 'stdot' (did you mean 'stdout'?)
      --> testsuites/yinyang.yaml:6:7
       |
     6 |       stdot: |
       |       ^^^^^
       = help: keys of a step: do, group, case, ...
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.display import one_line, plain
from grader.errors import SuiteError

MAX_SHOWN: Final = 20
"""More diagnostics than this are counted only."""

_WINDOW: Final = 100
"""Characters of a source line that are shown; of a longer one, those around the mistake."""
_WIDE: Final = frozenset({"F", "W"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One mistake; `line` and `column` count from 1, in characters."""

    file: str
    line: int
    column: int
    message: str
    help: str | None = None
    source: str = ""
    """The line of the file that holds the mistake; empty when the file as a whole is at fault."""
    width: int = 1
    """How many characters are at fault, from `column` on."""


class InvalidSuite(SuiteError):
    """A suite has mistakes; `diagnostics` holds all of them, in the order of the file."""

    def __init__(self, name: str, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep `diagnostics` in order and each of them once; `name` says which suite it is."""
        distinct = dict.fromkeys(diagnostics)
        self.diagnostics = tuple(sorted(distinct, key=lambda one: (one.line, one.column)))
        count = len(self.diagnostics)
        super().__init__(f"{one_line(name)}: {count} error{'s' if count != 1 else ''}")

    def __str__(self) -> str:
        """Return all that is to be shown, one mistake below the other."""
        return render_all(self.diagnostics)


def render_all(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the first `MAX_SHOWN` of `diagnostics` rendered, and how many more there are."""
    parts = [render(diagnostic) for diagnostic in diagnostics[:MAX_SHOWN]]
    if len(diagnostics) > MAX_SHOWN:
        parts.append(f"... and {len(diagnostics) - MAX_SHOWN} more")
    return "\n\n".join(parts)


def render(diagnostic: Diagnostic) -> str:
    """Return `diagnostic` as several lines of text, the way compilers show it."""
    return "\n".join(_lines(diagnostic))


def _lines(diagnostic: Diagnostic) -> Iterator[str]:
    gutter = max(2, len(str(diagnostic.line)))
    margin = " " * gutter
    yield f"error: {diagnostic.message}"
    yield f"{margin}--> {one_line(diagnostic.file)}:{diagnostic.line}:{diagnostic.column}"
    if diagnostic.source:
        text, carets = _excerpt(diagnostic)
        yield f"{margin} |"
        yield f"{diagnostic.line:>{gutter}} | {text}".rstrip()
        yield f"{margin} | {carets}"
    if diagnostic.help is not None:
        yield f"{margin} = help: {diagnostic.help}"


def _excerpt(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return the source line, or the part of it around the mistake, and the carets below it."""
    line = diagnostic.source
    at = min(diagnostic.column - 1, len(line))
    start = max(0, at - _WINDOW // 2) if len(line) > _WINDOW else 0
    end = min(len(line), start + _WINDOW)
    before = ("…" if start else "") + _shown(line[start:at])
    fault = _shown(line[at : min(at + diagnostic.width, end)])
    after = _shown(line[at:end])[len(fault) :] + ("…" if end < len(line) else "")
    return before + fault + after, " " * _cells(before) + "^" * max(1, _cells(fault))


def _shown(text: str) -> str:
    # Not `one_line`: it blanks addresses, which would shift what the carets point at.
    return plain(text).replace("\t", " ").replace("\n", " ")


def _cells(text: str) -> int:
    """Return how many columns of a terminal `text` takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )
