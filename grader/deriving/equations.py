"""Reads the equations in comments: `double(3)  ==  6` says what a call returns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.deriving.doubts import Doubt
from grader.deriving.examples import Example
from grader.deriving.fences import Lines, indentation
from grader.display import one_line
from grader.literals import LiteralError, parse_literal
from grader.protocol import HIGHEST_CAPS

_SIGN: Final = re.compile(r"\S\s+==(\s|$)")


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that looks like an equation, on one line."""

    text: str
    line: int


def passages(comments: Lines) -> Iterator[Passage]:
    """Yield what looks like an equation in `comments`.

    A line that is indented deeper than the one with the sign goes on with it.
    """
    lines = comments.texts
    for index, text in enumerate(lines):
        if not _SIGN.search(text):
            continue
        parts = [text.strip()]
        for following in lines[index + 1 :]:
            if not following.strip() or indentation(following) <= indentation(text):
                break
            parts.append(following.strip())
        yield Passage(" ".join(parts), comments.first + index)


def equation(passage: Passage) -> Example | Doubt:
    """Return the example that `passage` is, a call and the literal that it equals, or a doubt."""
    match _parsed(passage.text):
        case ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[right]):
            value = ast.get_source_segment(passage.text, right) or ""
            if is_literal(value):
                code = ast.get_source_segment(passage.text, call) or ""
                return Example(
                    code=code, note=None, want=(value,), exception=None, line=passage.line
                )
    return Doubt(
        passage.line,
        f"this equation is left out: {one_line(passage.text, 60)!r}",
        "an equation is a call, == and a literal, such as double(3) == 6",
    )


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def is_literal(text: str) -> bool:
    """Return whether a suite can expect the value that `text` says."""
    try:
        parse_literal(text, HIGHEST_CAPS)
    except LiteralError:
        return False
    return True
