"""The text of one module, and spans in it as people read them.

`ast` counts columns in UTF-8 bytes from 0; people count characters from 1.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, TypeAlias

from grader.executor.syntax.nodes import docstring_of

Span: TypeAlias = list[object]
"""The module, the first line and column, the last line, and the column after the last character."""
LocatedNode: TypeAlias = ast.stmt | ast.expr | ast.alias | ast.arg

_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
"""The line breaks of Python source, which exclude form feeds and other line breaks of Unicode."""
_KEYWORD: Final = re.compile(r"(async[ \t\f]+)?[a-z]+")  # a form feed is whitespace to Python
_CODE: Final = re.compile(r"[^\s#]")


def _width(character: str) -> int:
    """Return the number of bytes of `character` in UTF-8."""
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


class ModuleText:
    """The text of one module."""

    def __init__(self, module_name: str, text: str) -> None:
        """Split `text`, the source of `module`, into lines."""
        self.module: Final = module_name
        self.lines: Final = _NEWLINE.split(text)
        self._starts: Final[dict[int, Sequence[int]]] = {}
        """Byte offsets of the characters in lines that are not ASCII; filled when needed."""

    def char_index(self, line: int, offset: int) -> int:
        """Return the index in `line` of the character that begins at byte `offset`."""
        text = self.lines[line - 1]
        if text.isascii():
            return offset
        if line not in self._starts:
            self._starts[line] = list(accumulate(map(_width, text), initial=0))
        return bisect_left(self._starts[line], offset)

    def span(self, node: LocatedNode) -> Span:
        """Return the span of all of `node`."""
        return self.span_between(node, node)

    def span_between(self, first: LocatedNode, last: LocatedNode) -> Span:
        """Return the span from the start of `first` to the end of `last`."""
        end_line, end_offset = last.end_lineno or last.lineno, last.end_col_offset or 0
        return [
            self.module,
            first.lineno,
            self.char_index(first.lineno, first.col_offset) + 1,
            end_line,
            self.char_index(end_line, end_offset) + 1,
        ]

    def keyword_span(self, node: LocatedNode) -> Span:
        """Return the span of the keyword that starts `node`; `async for` counts as one keyword."""
        start = self.char_index(node.lineno, node.col_offset)
        match = _KEYWORD.match(self.lines[node.lineno - 1], start)
        return [
            self.module,
            node.lineno,
            start + 1,
            node.lineno,
            (match.end() if match else start) + 1,
        ]

    def span_with_stars(self, argument: ast.arg) -> Span:
        """Return the span of `argument`, including the stars before it if they are on its line."""
        span = self.span(argument)
        prefix = self.lines[argument.lineno - 1][
            : self.char_index(argument.lineno, argument.col_offset)
        ]
        stripped = prefix.rstrip()
        if stripped.endswith("*"):
            span[2] = len(stripped.rstrip("*")) + 1
        return span

    def text_between(self, first: tuple[int, int], last: tuple[int, int]) -> str:
        """Return the text from one position to another, each given as (line, byte offset)."""
        start, end = self.char_index(*first), self.char_index(*last)
        if first[0] == last[0]:
            return self.lines[first[0] - 1][start:end]
        whole_lines = self.lines[first[0] : last[0] - 1]
        lines = [self.lines[first[0] - 1][start:], *whole_lines, self.lines[last[0] - 1][:end]]
        return "\n".join(lines)

    def count_code_lines(self, nodes: Sequence[ast.AST]) -> list[int]:
        """Return a list that has at index n how many of the first n lines contain code.

        Blank lines and comments do not count, nor do docstrings of functions and classes. `nodes`
        must be all nodes of the module.
        """
        has_code = [_CODE.match(line.lstrip()) is not None for line in self.lines]
        for node in nodes:
            match node:
                case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                    # Blank lines and lines that start with `#` are code if they are in a string.
                    for line in range(node.lineno, node.end_lineno or 0):
                        has_code[line - 1] = has_code[line] = True
        for node in nodes:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    if (docstring := docstring_of(node)) is not None:
                        self._exclude_docstring(docstring, has_code)
        return list(accumulate(has_code, initial=0))

    def _exclude_docstring(self, docstring: ast.Expr, has_code: list[bool]) -> None:
        """Mark the lines of `docstring` in `has_code` as lines without code.

        Its first and its last line are not marked if they also contain other code.
        """
        first, last = docstring.lineno, docstring.end_lineno or docstring.lineno
        before = self.text_between((first, 0), (first, docstring.col_offset))
        after = self.lines[last - 1][self.char_index(last, docstring.end_col_offset or 0) :]
        if before.strip():
            first += 1
        if _CODE.match(after.lstrip()):
            last -= 1
        for line in range(first, last + 1):
            has_code[line - 1] = False
