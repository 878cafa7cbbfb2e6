"""Compiles the modules of a submission before any of it runs, and reports the results."""

from __future__ import annotations
import __future__ as futures

import ast
import base64
import marshal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial, reduce
from itertools import pairwise
from operator import or_
from types import CodeType
from typing import Any, Final, TypeAlias

from grader.executor import metering, transforming
from grader.executor.imports import Compiled
from grader.executor.instruments import Instruments
from grader.executor.mentions import mentions
from grader.executor.rewriting import Rewriting, code_of
from grader.executor.syntax.ahead import explained
from grader.executor.syntax.tries import tried_lines
from grader.protocol import CELL, MAX_CODE_BYTES

_FUTURE: Final = reduce(
    or_, (getattr(futures, each).compiler_flag for each in futures.all_feature_names)
)
"""The flags of `from __future__` imports, which a cell turns on for the cells after it."""
Code: TypeAlias = Compiled | bytes | Exception
"""A compiled module, perhaps marshalled, or the error of compiling it."""


def compiled(name: str, module: dict[str, Any], instruments: Instruments | None) -> Code:
    """Return the code of `module`, rewritten to count units and with `instruments`, or an error."""
    if "code" in module:
        marshalled: bytes = module["code"]
        return marshalled
    source = module["source"]
    rewritings: list[Rewriting] = []
    if instruments is not None and instruments.rewrites:
        rewritings = [partial(transforming.rewritten, module=name, name=instruments.rewrites)]
    try:
        # Rewriting a tree takes more memory and recursion than compiling text. If it fails, the
        # module is compiled without counting, and only clocks limit it.
        with suppress(RecursionError, MemoryError):
            return _codes(module, [*rewritings, metering.rewritten]), tried_lines(source)
        return _codes(module, rewritings), tried_lines(source)
    # Deep nesting may end the parser with MemoryError, or the compiler with RecursionError.
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return error


def _codes(module: dict[str, Any], rewritings: list[Rewriting]) -> tuple[CodeType, ...]:
    """Return the code of `module`, for a notebook cell by cell, and the code to run after it."""
    source, file, cuts = module["source"], module["file"], module.get("cuts", ())
    if file.endswith(".ipynb"):
        codes = [*_codes_of_cells(source, file, cuts, rewritings)]
    else:
        codes = [code_of(source, file, *_cutting(cuts), *rewritings)]
    if "then" in module:
        codes.append(code_of(module["then"], file, *rewritings))
    return tuple(codes)


def _codes_of_cells(
    source: str, file: str, cuts: Iterable[int], rewritings: list[Rewriting]
) -> Iterator[CodeType]:
    """Yield the code of each cell; for a cell with a syntax error, code that raises the error."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for start, end, cell in cells_in(source):
        inside = [line for line in cuts if start < line <= end]
        try:
            placed = partial(ast.increment_lineno, n=start)
            code = code_of(cell, file, placed, *_cutting(inside), *rewritings, flags=flags)
        except SyntaxError as error:
            mistake, _ = explained(cell, error)
            line = min(start + (mistake.lineno or 1), end)
            # The blank lines put the `raise`, and so its traceback, on the line of the mistake.
            raising = "\n" * (line - 1) + f"raise {type(mistake).__name__}({mistake.msg!r})"
            code = compile(raising, file, "exec", dont_inherit=True)  # without our own `__future__`
        yield code
        flags |= code.co_flags & _FUTURE


def cells_in(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield the cells of a notebook as (lines before it, its last line, source)."""
    lines = source.split("\n")
    starts = [number for number, line in enumerate(lines) if CELL.fullmatch(line)]
    for start, end in pairwise([0, *starts[1:], len(lines)]):
        yield start, end, "\n".join(lines[start:end])


def _cutting(lines: Iterable[int]) -> Iterator[Rewriting]:
    """Yield rewritings that remove the statement at each of `lines`, and all after it."""
    for line in lines:
        yield partial(_cut, line=line)


def _cut(tree: ast.Module, line: int) -> ast.Module:
    tree.body = [each for each in tree.body if (each.end_lineno or each.lineno) < line]
    return tree


def described(code: Code, source: str, *, keep: bool) -> dict[str, object]:
    """Return the reply about `code`, compiled from `source`; with the code itself if `keep`."""
    if isinstance(code, SyntaxError):
        mistake, newer = explained(source, code)
        return {
            "error": type(mistake).__name__,
            "message": mistake.msg,
            "line": mistake.lineno,
            "column": mistake.offset,
            "newer": newer,
        }
    if isinstance(code, Exception):
        said: dict[str, object] = {"error": type(code).__name__, "message": str(code)}
        return said | {"line": None, "column": None, "newer": None}
    assert not isinstance(code, bytes), "it has just been compiled"
    sets, chance = mentions(code[0])
    described: dict[str, object] = {"sets": sets, "chance": chance}
    if not keep:
        return described
    try:
        data = marshal.dumps(code)
    except ValueError:  # nested functions too deep for `marshal`
        return described
    if len(data) > MAX_CODE_BYTES:
        return described  # each session compiles it anew
    return {**described, "code": base64.b64encode(data).decode("ascii")}
