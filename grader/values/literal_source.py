"""The text of a literal, and errors that point to a position in it."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

from grader.values.foreign_text import one_line

EXAMPLES: Final = "6, 'text', [1, 2] or {(2, 1), (3, 1)}"
_WHITESPACE: Final = " \t\r\n\f"
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


class LiteralError(ValueError):
    """Text that is not a literal, or a literal that no executor could return."""

    def __init__(self, problem: str, advice: str, column: int) -> None:
        """Store what is wrong, what to write instead, and the offset in the text, from 0."""
        super().__init__(f"{problem}; {advice}")
        self.problem = problem
        self.advice = advice
        self.column = column


class LiteralText:
    """The text of a literal, which parses it and creates errors that point to its nodes."""

    def __init__(self, text: str) -> None:
        self._indent = len(text) - len(text.lstrip(_WHITESPACE))
        self._text = text[self._indent :]

    def tree(self) -> ast.expr:
        """Return the syntax tree of the text; raises `LiteralError` if it is not an expression."""
        if not self._text:
            raise LiteralError("there is no literal here", f"write one, such as {EXAMPLES}", 0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns about '\d' but accepts it
                return ast.parse(self._text, mode="eval").body
        except SyntaxError as error:
            raise self._syntax_error(error) from error
        except (ValueError, RecursionError, MemoryError) as error:
            problem = (
                "this has a character that Python does not allow"
                if isinstance(error, ValueError)  # null characters or lone surrogates
                else "this is too deeply nested for Python"  # or a very long chain of operators
            )
            advice = f"write a literal, such as {EXAMPLES}"
            raise LiteralError(problem, advice, self._indent) from error

    def _syntax_error(self, error: SyntaxError) -> LiteralError:
        """Return the error that replaces Python's syntax error `error`, pointing to the same place.

        For the display of an object, it points to the start of the text.
        """
        line = min(error.lineno or 1, len(_LINE_BREAK.split(self._text)))
        # In "eval" mode the parser reports offset 0 for an unexpected end of the text.
        column = self._offset(line, error.offset - 1 if error.offset else len(self._line(line)))
        # Authors paste what Python displays, such as `<Board object at 0x7f…>`.
        if self._text.startswith("<"):
            problem = "the display of an object is not a literal"
            return LiteralError(problem, f"expect a value, such as {EXAMPLES}", self._indent)
        problem = f"this is not a Python literal: {one_line(error.msg)}"
        return LiteralError(problem, f"write one, such as {EXAMPLES}", column)

    def malformed(self, node: ast.Call, example: str) -> LiteralError:
        """Return the error for the call `node`, which should look like `example`."""
        problem = "this is not how Python displays such a value"
        return self.error(node, problem, f"write it like {example}")

    def error(self, node: ast.AST, problem: str, advice: str) -> LiteralError:
        """Return the error with this `problem` and `advice` that points to `node`."""
        line: int = getattr(node, "lineno", 1)
        column_bytes: int = getattr(node, "col_offset", 0)
        prefix = self._line(line).encode()[:column_bytes].decode()  # `ast` counts in UTF-8 bytes
        return LiteralError(problem, advice, self._offset(line, len(prefix)))

    def _line(self, number: int) -> str:
        return _LINE_BREAK.split(self._text)[number - 1]

    def _offset(self, line: int, column: int) -> int:
        """Return the offset, in the original text, of `column` (from 0) in `line` (from 1).

        An offset beyond the end of the text becomes the end.
        """
        ends = [match.end() for match in _LINE_BREAK.finditer(self._text)]
        start = [0, *ends][min(line, len(ends) + 1) - 1]
        return min(self._indent + start + max(column, 0), self._indent + len(self._text))
