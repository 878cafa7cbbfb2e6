"""Compiles the modules of a submission before any of it runs, and tells what came of that."""

from __future__ import annotations

import ast
import base64
import marshal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from grader.executor import metering, transforming
from grader.executor.imports import Compiled
from grader.executor.instruments import Instruments
from grader.executor.mentions import mentions
from grader.executor.rewriting import code_of
from grader.executor.syntax.ahead import explained
from grader.executor.syntax.tries import tried_lines
from grader.protocol import MAX_CODE_BYTES

Code: TypeAlias = Compiled | bytes | Exception
"""What has been compiled of a module, marshalled maybe, or why nothing has."""


def compiled(name: str, module: dict[str, Any], instruments: Instruments | None) -> Code:
    """Return what `module` called `name` comes to, which counts, and has its `instruments`."""
    if "code" in module:
        marshalled: bytes = module["code"]
        return marshalled
    source, file = module["source"], module["file"]
    rewritings: list[Callable[[ast.Module], ast.Module]] = []
    if instruments is not None and instruments.rewrites:
        rewritings = [partial(transforming.rewritten, module=name, name=instruments.rewrites)]
    try:
        # A tree takes more room, and more depth, than the text does: then clocks must do.
        with suppress(RecursionError, MemoryError):
            return code_of(source, file, *rewritings, metering.rewritten), tried_lines(source)
        return code_of(source, file, *rewritings), tried_lines(source)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return error


def described(code: Code, source: str, *, keep: bool) -> dict[str, object]:
    """Return what is told of `code` made of `source`; the code itself too if it is to `keep`."""
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
    except ValueError:  # functions in functions, deeper than it goes
        return described
    if len(data) > MAX_CODE_BYTES:
        return described  # it is compiled anew for each session
    return {**described, "code": base64.b64encode(data).decode("ascii")}
