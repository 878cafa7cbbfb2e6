"""Holds the equations of a Haskell half of a spec against those of its Python half.

`f (g 8 (5,2))  ==  (5,4)` says what `f(g(8, (5, 2))) == (5, 4)` says. Nothing of it is run: it is a
second witness, and two witnesses that contradict each other cannot both be believed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.deriving.doubts import Doubt, SpecProblem
from grader.deriving.equations import Passage, is_literal
from grader.deriving.examples import Example
from grader.display import one_line
from grader.literals import parse_literal
from grader.matching.equality import equal
from grader.protocol import HIGHEST_CAPS

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


def cross_check(
    passages: Iterable[Passage], examples: Iterable[Example], names: Collection[str]
) -> Iterable[SpecProblem | Doubt]:
    """Yield where an equation of the Haskell half contradicts an example, or stands alone.

    `names` are those that the Python half defines.
    """
    known = {
        ast.unparse(expression): example
        for example in examples
        if (expression := example.expression) and is_literal("\n".join(example.want))
    }
    for passage in passages:
        yield from _checked(passage, known, names)


def _checked(
    passage: Passage, known: Mapping[str, Example], names: Collection[str]
) -> Iterable[SpecProblem | Doubt]:
    translated = translation(passage.text, names)
    example = None if translated is None else known.get(translated[0])
    if translated is None or example is None:
        yield Doubt(
            passage.line,
            "this equation of the Haskell half has no counterpart in the Python half: "
            + repr(one_line(passage.text, 60)),
            "add it to the Python half if it should be tried",
        )
    elif not equal(*(parse_literal(said, HIGHEST_CAPS) for said in _both(example, translated))):
        ours, theirs = _both(example, translated)
        yield SpecProblem(
            passage.line,
            f"the Haskell half says {one_line(theirs, 60)} here, "
            f"the Python half says {one_line(ours, 60)} on line {example.line}",
            help="correct one of them; a suite is only derived from what holds",
        )


def _both(example: Example, translated: tuple[str, str]) -> tuple[str, str]:
    return "\n".join(example.want), translated[1]


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
