"""The text of one module, and the places in it.

`ast` counts columns in UTF-8 bytes from 0; people count characters from 1.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, TypeAlias

Place: TypeAlias = list[object]
"""Module, line, column, last line, column after the last character."""
Located: TypeAlias = ast.stmt | ast.expr | ast.alias | ast.arg

_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
"""Line breaks to Python, which excludes form feeds and other line breaks of Unicode."""
_KEYWORD: Final = re.compile(r"(async[ \t\f]+)?[a-z]+")  # a form feed is whitespace to Python
_CODE: Final = re.compile(r"[^\s#]")


def _width(character: str) -> int:
    """Return how many bytes of UTF-8 `character` takes."""
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


class ModuleText:
    """The text of one module."""

    def __init__(self, module: str, text: str) -> None:
        """Read `text`, the source of `module`."""
        self.module: Final = module
        self.lines: Final = _NEWLINE.split(text)
        self._starts: Final[dict[int, Sequence[int]]] = {}

    def index(self, line: int, offset: int) -> int:
        """Return the index of the character that begins `offset` bytes into `line`."""
        text = self.lines[line - 1]
        if text.isascii():
            return offset
        if line not in self._starts:
            self._starts[line] = list(accumulate(map(_width, text), initial=0))
        return bisect_left(self._starts[line], offset)

    def place(self, node: Located) -> Place:
        """Return the place of all of `node`."""
        return self.between(node, node)

    def between(self, first: Located, last: Located) -> Place:
        """Return the place from the start of `first` to the end of `last`."""
        end_line, end_offset = last.end_lineno or last.lineno, last.end_col_offset or 0
        return [
            self.module,
            first.lineno,
            self.index(first.lineno, first.col_offset) + 1,
            end_line,
            self.index(end_line, end_offset) + 1,
        ]

    def keyword(self, node: Located) -> Place:
        """Return the place of the keyword that starts `node`; `async for` counts as one."""
        start = self.index(node.lineno, node.col_offset)
        match = _KEYWORD.match(self.lines[node.lineno - 1], start)
        return [
            self.module,
            node.lineno,
            start + 1,
            node.lineno,
            (match.end() if match else start) + 1,
        ]

    def star_before(self, argument: ast.arg) -> Place:
        """Return the place of `argument` with the stars before it, if they are on its line."""
        place = self.place(argument)
        prefix = self.lines[argument.lineno - 1][: self.index(argument.lineno, argument.col_offset)]
        stripped = prefix.rstrip()
        if stripped.endswith("*"):
            place[2] = len(stripped.rstrip("*")) + 1
        return place

    def text(self, first: tuple[int, int], last: tuple[int, int]) -> str:
        """Return the text from one (line, offset) to another."""
        start, end = self.index(*first), self.index(*last)
        if first[0] == last[0]:
            return self.lines[first[0] - 1][start:end]
        between = self.lines[first[0] : last[0] - 1]
        lines = [self.lines[first[0] - 1][start:], *between, self.lines[last[0] - 1][:end]]
        return "\n".join(lines)

    def code_lines(self, nodes: Sequence[ast.AST]) -> list[int]:
        """Return for each n how many of the first n lines hold code.

        Blank lines, comments, and the docstrings of the functions and classes among `nodes`, which
        are all nodes of the module, do not count.
        """
        has_code = [_CODE.match(line.lstrip()) is not None for line in self.lines]
        for node in nodes:
            match node:
                case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                    # Within a string, blank lines and those with `#` are code.
                    for line in range(node.lineno, node.end_lineno or 0):
                        has_code[line - 1] = has_code[line] = True
        for node in nodes:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    if (docstring := docstring_of(node)) is not None:
                        self._exclude_docstring(docstring, has_code)
        return list(accumulate(has_code, initial=0))

    def _exclude_docstring(self, docstring: ast.Expr, has_code: list[bool]) -> None:
        """Mark the lines of `docstring` as without code, unless other code is on them."""
        first, last = docstring.lineno, docstring.end_lineno or docstring.lineno
        before = self.text((first, 0), (first, docstring.col_offset))
        after = self.lines[last - 1][self.index(last, docstring.end_col_offset or 0) :]
        if before.strip():
            first += 1
        if _CODE.match(after.lstrip()):
            last -= 1
        for line in range(first, last + 1):
            has_code[line - 1] = False


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """Return the docstring statement of `node`, if it has one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str())) as statement, *_]:
                return statement
    return None
