"""Reads the text of a Python literal as a value of the judge's own tree; nothing is evaluated.

An expectation stands in a suite as the text that Python displays: `{(2, 1), (3, 1)}`. The text is
parsed by `ast` and walked by a closed table: a kind of node that is not in the table is refused,
so a suite can be read without running a line of it. The caps are those of `grader.protocol`: a
value that could never arrive from an executor cannot be expected either.
"""

from __future__ import annotations

from grader.literals.reader import read
from grader.literals.source import LiteralError, Source
from grader.protocol import USUAL_CAPS, ValueCaps
from grader.values import Value

__all__ = ["LiteralError", "parse_literal"]


def parse_literal(text: str, caps: ValueCaps = USUAL_CAPS) -> Value:
    """Return the value that `text`, a Python literal, stands for.

    Besides what `ast.literal_eval` knows, these displays count as literals: `inf`, `nan`, `set()`,
    `frozenset({1})`, `range(3)`, `Fraction(1, 3)`, `Decimal('1.5')`, a dataclass or named tuple
    with the names of its fields (`Position(x=1, y=2)`), a member of an enum (`Colour.RED`), and of
    numpy `array([[1, 2], [3, 4]])` and `np.int64(5)`.
    Raises `LiteralError` for anything else, for values over one of `caps`, and for
    duplicates in a set or a dict.
    """
    if len(text) > caps.value_chars:
        raise LiteralError(
            f"a literal of {len(text):,} characters is too long",
            f"write at most {caps.value_chars:,}",
            0,
        )
    source = Source(text)
    return read(source, caps)
