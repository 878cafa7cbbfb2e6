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
from grader.executor.mentions import detect_mentions
from grader.executor.rewriting import Rewriting, compile_source
from grader.executor.syntax.guarded_imports import guarded_import_lines
from grader.executor.syntax.syntax_errors import diagnose_syntax_error
from grader.protocol import CELL, MAX_CODE_BYTES

_FUTURE_FLAGS: Final = reduce(
    or_, (getattr(futures, name).compiler_flag for name in futures.all_feature_names)
)
"""The flags of `from __future__` imports, which stay on for all later cells."""
Code: TypeAlias = Compiled | bytes | Exception
"""A compiled module, possibly marshalled, or the error that compiling it raised."""


def compile_module(name: str, module: dict[str, Any], instruments: Instruments | None) -> Code:
    """Compile the module called `name`, adding the meter and `instruments`.

    Return its code, or the error that compiling it raised. `module` is an entry of the load
    request. If it has code that the judge has kept, that code is returned unchanged, still
    marshalled.
    """
    if "code" in module:
        marshalled: bytes = module["code"]
        return marshalled
    source = module["source"]
    rewritings: list[Rewriting] = []
    if instruments is not None and instruments.rewrites:
        rewritings = [
            partial(transforming.insert_instruments, module_name=name, prefix=instruments.rewrites)
        ]
    try:
        # Rewriting a tree takes more memory and deeper recursion than compiling text. If it fails,
        # the module is compiled without the meter, and only clocks limit it.
        with suppress(RecursionError, MemoryError):
            return _compile_parts(
                module, [*rewritings, metering.insert_ticks]
            ), guarded_import_lines(source)
        return _compile_parts(module, rewritings), guarded_import_lines(source)
    # Deeply nested source raises MemoryError in the parser, or RecursionError in the compiler.
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return error


def _compile_parts(module: dict[str, Any], rewritings: list[Rewriting]) -> tuple[CodeType, ...]:
    """Return the code objects of `module`, in the order in which they run.

    A notebook has one for each cell. If there is code to run after the module, it comes last.
    """
    source, file, cuts = module["source"], module["file"], module.get("cuts", ())
    if file.endswith(".ipynb"):
        codes = [*_compile_cells(source, file, cuts, rewritings)]
    else:
        codes = [compile_source(source, file, *_cut_rewritings(cuts), *rewritings)]
    if "then" in module:
        codes.append(compile_source(module["then"], file, *rewritings))
    return tuple(codes)


def _compile_cells(
    source: str, file: str, cuts: Iterable[int], rewritings: list[Rewriting]
) -> Iterator[CodeType]:
    """Yield the code of each cell, as changed by `rewritings` and by `cuts`.

    For each line in `cuts`, the statements of its cell from that line on are removed. For a
    cell with a syntax error, yield code that raises that error.
    """
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for start, end, cell in split_cells(source):
        cell_cuts = [line for line in cuts if start < line <= end]
        try:
            shift_lines = partial(ast.increment_lineno, n=start)
            code = compile_source(
                cell, file, shift_lines, *_cut_rewritings(cell_cuts), *rewritings, flags=flags
            )
        except SyntaxError as error:
            mistake, _ = diagnose_syntax_error(cell, error)
            line = min(start + (mistake.lineno or 1), end)
            # The newlines put the `raise`, and so its traceback, on the line of the mistake.
            raise_text = "\n" * (line - 1) + f"raise {type(mistake).__name__}({mistake.msg!r})"
            # `dont_inherit`, because the `__future__` imports of this file must not apply.
            code = compile(raise_text, file, "exec", dont_inherit=True)
        yield code
        flags |= code.co_flags & _FUTURE_FLAGS


def split_cells(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield each cell of a notebook: the number of lines before it, its last line, its source."""
    lines = source.split("\n")
    starts = [index for index, line in enumerate(lines) if CELL.fullmatch(line)]
    # Any lines before the first marker belong to the first cell.
    for start, end in pairwise([0, *starts[1:], len(lines)]):
        yield start, end, "\n".join(lines[start:end])


def _cut_rewritings(lines: Iterable[int]) -> Iterator[Rewriting]:
    """Yield a rewriting for each of `lines` that removes the statements from that line on."""
    for line in lines:
        yield partial(_remove_from_line, line=line)


def _remove_from_line(tree: ast.Module, line: int) -> ast.Module:
    """Remove the statements of `tree` that do not end before `line`; return `tree`."""
    tree.body = [node for node in tree.body if (node.end_lineno or node.lineno) < line]
    return tree


def describe_code(code: Code, source: str, *, keep: bool) -> dict[str, object]:
    """Return the reply about `code`, which was compiled from `source`.

    The reply contains the error if there is one. Otherwise, it says whether the code makes sets or
    uses randomness. With `keep`, it also contains the marshalled code, unless that is too large or
    the code cannot be marshalled.
    """
    if isinstance(code, SyntaxError):
        mistake, newer = diagnose_syntax_error(source, code)
        return {
            "error": type(mistake).__name__,
            "message": mistake.msg,
            "line": mistake.lineno,
            "column": mistake.offset,
            "newer": newer,
        }
    if isinstance(code, Exception):
        reply: dict[str, object] = {"error": type(code).__name__, "message": str(code)}
        return reply | {"line": None, "column": None, "newer": None}
    assert not isinstance(code, bytes), "it has just been compiled"
    makes_sets, is_random = detect_mentions(code[0])
    description: dict[str, object] = {"sets": makes_sets, "chance": is_random}
    if not keep:
        return description
    try:
        marshalled = marshal.dumps(code)
    except ValueError:  # functions are nested too deeply for `marshal`
        return description
    if len(marshalled) > MAX_CODE_BYTES:
        return description  # each session compiles it again
    return {**description, "code": base64.b64encode(marshalled).decode("ascii")}
