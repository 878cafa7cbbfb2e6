"""Compares the equations of the Haskell half of the text with the examples of its Python half.

`f (g 8 (5,2))  ==  (5,4)` says what `f(g(8, (5, 2))) == (5, 4)` says. Nothing of it is run: it is a
second witness, and two witnesses that contradict each other cannot both be believed. The suite is
derived from the Python half alone. `python reference/triomino/haskell.py` says where they differ.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.plugins.authoring.code_blocks import code_blocks, comment_blocks
from grader.plugins.authoring.deriving.equations import Equation, find_equations, is_literal
from grader.plugins.authoring.deriving.reading import read_spec
from grader.protocol import HIGHEST_CAPS
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.literals import parse_literal

SPEC: Final = Path(__file__).with_name("spec.md")
_DEFINITION: Final = re.compile(r"^def +(\w+)", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?)
      | (?P<name>[^\W\d][\w']*)
      | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)')
      | (?P<sign>==|[-(),\[\]])
    )""",
    re.VERBOSE,
)
_CONSTANTS: Final = frozenset({"True", "False"})


class _Untranslatable(Exception):
    """The text is more than applications and literals."""


def differences(text: str) -> Iterator[str]:
    """Yield where an equation of the Haskell half contradicts an example, or stands alone."""
    known = {
        ast.unparse(expression): example
        for session in read_spec(text).sessions
        for example in session.examples
        if (expression := example.expression) and is_literal("\n".join(example.want))
    }
    names = set(_DEFINITION.findall(text))
    for passage in _equations(text):
        translated = translation(passage.text, names)
        example = None if translated is None else known.get(translated[0])
        if translated is None or example is None:
            shown = repr(one_line(passage.text, 60))
            yield f"{passage.line}: {shown} has no counterpart in the Python half"
            continue
        ours, theirs = "\n".join(example.want), translated[1]
        if not equal(parse_literal(ours, HIGHEST_CAPS), parse_literal(theirs, HIGHEST_CAPS)):
            yield (
                f"{passage.line}: the Haskell half says {one_line(theirs, 60)} here,"
                f" the Python half says {one_line(ours, 60)} on line {example.line}"
            )


def _equations(text: str) -> Iterator[Equation]:
    for code_block in code_blocks(text.splitlines()):
        if code_block.language == "haskell":
            for block in comment_blocks(code_block):
                yield from find_equations(block)


def translation(text: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return both sides of the equation `text` in Python.

    None if it is more than applications of `names`, and a literal.
    """
    try:
        left, right = _Reader(text, names).equation()
        left = ast.unparse(ast.parse(left, mode="eval"))
    except (_Untranslatable, SyntaxError):
        return None
    return (left, right) if is_literal(right) else None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


class _Reader:
    """Reads one equation by recursive descent, and writes both sides in Python."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._names: Final = names
        self._tokens: Final = _tokens(text)
        self._next = 0

    def equation(self) -> tuple[str, str]:
        left = self._expression()
        self._take("==")
        right = self._expression()
        if self._next < len(self._tokens):
            raise _Untranslatable
        return left, right

    def _peek(self) -> _Token:
        end = _Token("end", "")
        return self._tokens[self._next] if self._next < len(self._tokens) else end

    def _take(self, sign: str | None = None) -> _Token:
        token = self._peek()
        if token.kind == "end" or sign not in {None, token.text}:
            raise _Untranslatable
        self._next += 1
        return token

    def _expression(self) -> str:
        """Read a negative number, a name with its arguments, or a single atom."""
        if self._peek().text == "-":
            self._take()
            if self._peek().kind != "number":
                raise _Untranslatable
            return f"-{self._take().text}"
        first = self._peek()
        head = self._atom()
        arguments = []
        while self._peek().kind != "end" and self._peek().text not in {"==", ",", ")", "]", "-"}:
            arguments.append(self._atom())
        if not arguments:
            return head
        if first.kind != "name" or first.text not in self._names:
            raise _Untranslatable
        return f"{head}({', '.join(arguments)})"

    def _atom(self) -> str:
        token = self._take()
        match token:
            case _Token(text="("):
                items = self._items(")")
                return items[0] if len(items) == 1 else f"({', '.join(items)})"
            case _Token(text="["):
                return f"[{', '.join(self._items(']'))}]"
            case _Token(kind="name", text=name) if name not in {*self._names, *_CONSTANTS}:
                raise _Untranslatable
            case _Token(kind="number" | "text" | "name", text=text):
                return text
            case _:
                raise _Untranslatable

    def _items(self, end: str) -> list[str]:
        items: list[str] = []
        while self._peek().text != end:
            if items:
                self._take(",")
            items.append(self._expression())
        self._take(end)
        return items


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _Untranslatable
        kind = found.lastgroup or ""
        tokens.append(_Token(kind, found[kind]))
        position = found.end()
    return tokens


if __name__ == "__main__":
    found = list(differences(SPEC.read_text(encoding="utf-8")))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
