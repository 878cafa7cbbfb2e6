"""Makes a session smaller as long as it shows what it has to show: lines first, then values.

Lines are left out in chunks, large ones first, as in delta debugging (Zeller, Hildebrandt 2002).
Values shrink where they stand in the code: a collection loses elements, a number comes nearer to
one, a text loses its end. What is tried may be nonsense; whoever asks for a smaller session says
whether it will do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from grader.authoring.generating.scripts import Line

Lines: TypeAlias = tuple[Line, ...]

MOST_TRIES: Final = 150
"""Counted, not timed, so that the same session shrinks to the same each time."""


class _OutOfTries(Exception):
    """It is small enough: enough has been tried."""


class _Shrinking:
    """The smallest session so far, and what is left to try."""

    def __init__(self, lines: Lines, shows: Callable[[Lines], bool], tries: int) -> None:
        self.lines = lines
        self._shows: Final = shows
        self._tried: Final[set[tuple[str, ...]]] = set()
        self._tries: Final = tries

    def keeps(self, lines: Lines) -> bool:
        """Return whether `lines` show the same, and take them if they do."""
        key = tuple(line.code for line in lines)
        if key in self._tried:
            return False
        if len(self._tried) >= self._tries:
            raise _OutOfTries
        self._tried.add(key)
        if self._shows(lines):
            self.lines = lines
            return True
        return False


def shrunk(lines: Sequence[Line], shows: Callable[[Lines], bool], tries: int = MOST_TRIES) -> Lines:
    """Return the smallest part of `lines` found for which `shows` is true, as it is for all.

    The last line is what they are about: it stays. `shows` is asked at most `tries` times.
    """
    shrinking = _Shrinking(tuple(lines), shows, tries)
    try:
        _leave_out_lines(shrinking)
        _shrink_values(shrinking)
        _leave_out_lines(shrinking)
    except _OutOfTries:
        pass
    return shrinking.lines


def _leave_out_lines(shrinking: _Shrinking) -> None:
    # Chunks of half the lines first, then of a quarter, and so on: most lines are needed by none.
    size = max(1, (len(shrinking.lines) - 1) // 2)
    while True:
        start = 0
        smaller = False
        while start < len(shrinking.lines) - 1:
            *before, last = shrinking.lines
            rest = [*before[:start], *before[start + size :], last]
            if shrinking.keeps(tuple(rest)):
                smaller = True  # and `start` stays: what followed the chunk stands there now
            else:
                start += size
        if not smaller:
            if size == 1:
                return
            size //= 2


def _shrink_values(shrinking: _Shrinking) -> None:
    smaller = True
    while smaller:
        smaller = False
        for index in range(len(shrinking.lines)):
            while _shrink_line(shrinking, index):
                smaller = True


def _shrink_line(shrinking: _Shrinking, index: int) -> bool:
    """Try one smaller form of a line after the other; return whether one of them will do."""
    lines = shrinking.lines
    if "\n" in lines[index].code:
        return False  # a file that is written, for one: what is left of it would be no board
    for code in smaller_forms(lines[index].code):
        smaller = replace(lines[index], code=code)
        if shrinking.keeps((*lines[:index], smaller, *lines[index + 1 :])):
            return True
    return False


def smaller_forms(code: str) -> Iterator[str]:
    """Yield `code` with one value in it made smaller, the boldest changes first."""
    match ast.parse(code).body:
        case [ast.Expr(value=ast.List(elts=[alone]))]:
            yield ast.unparse(alone)
    # Nodes are named by their number, as each form needs a tree of its own to be changed.
    count = len(list(ast.walk(ast.parse(code))))
    for number in range(count):
        for choice in range(_choices(_node(ast.parse(code), number))):
            tree = ast.parse(code)
            _make_smaller(_node(tree, number), choice)
            yield ast.unparse(tree)


def _node(tree: ast.AST, number: int) -> ast.AST:
    return list(ast.walk(tree))[number]


def _choices(node: ast.AST) -> int:
    match node:
        case ast.Set(elts=[_]):
            return 0  # without elements it would be an empty dict
        case ast.List(elts=elements) | ast.Set(elts=elements) if elements:
            return len(elements) + 1 if isinstance(node, ast.List) else len(elements)
        case ast.Constant(value=bool()):
            return 0
        case ast.Constant(value=int(number)):
            return len(_smaller_numbers(number))
        case ast.Constant(value=str(text)) if text:
            return 2
        case _:
            return 0


def _make_smaller(node: ast.AST, choice: int) -> None:
    match node:
        case ast.List(elts=elements):
            node.elts = [] if choice == 0 else elements[: choice - 1] + elements[choice:]
        case ast.Set(elts=elements):
            node.elts = elements[:choice] + elements[choice + 1 :]
        case ast.Constant(value=int(number)):
            node.value = _smaller_numbers(number)[choice]
        case ast.Constant(value=str(text)):
            node.value = text[: len(text) // 2] if choice == 0 else text[:-1]


def _smaller_numbers(number: int) -> list[int]:
    """Return smaller numbers, from 1 on: a board without rows is nobody's example."""
    return sorted({1, number // 2, number - 1} - {number, 0, -1})
