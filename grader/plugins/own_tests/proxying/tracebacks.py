"""Rebuilds tracebacks of exceptions from a submission, with its lines, in this process."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import CodeType, FrameType, TracebackType
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.protocol import MAX_FRAMES
from grader.values.foreign_text import one_line

SHOWN_IN: Final = "submission"
"""The folder that its files appear to be in."""
_MAX_LINES: Final = 1_000_000
_TEMPLATE: Final = compile("raise error", "<submission>", "exec")


def know_sources(sources: Iterable[tuple[str, str]]) -> None:
    """Put the text of these files into `linecache`, for tracebacks and `inspect.getsource`."""
    for file, text in sources:
        lines = text.splitlines(keepends=True)
        for name in (file, shown_path(file)):
            linecache.cache[name] = (len(text), None, lines, name)  # None: `checkcache` keeps it


def shown_path(file: str) -> str:
    """Return the path of a file of the submission in tracebacks."""
    return f"{SHOWN_IN}/{one_line(file)}"


def calling_frame() -> FrameType | None:
    """Return the innermost frame outside of the grader and the standard library, or None."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the callers are needed
    while frame is not None and _is_on_the_way(frame):
        frame = frame.f_back
    return frame


def _is_on_the_way(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return package == "grader" or package in sys.stdlib_module_names


def traceback_of(told: Any, sources: Mapping[str, str]) -> TracebackType | None:
    """Return a traceback through the lines in `told`; raises `Malformed`.

    Lines of files that are not in `sources` are left out.
    """
    if type(told) is not list or len(told) > MAX_FRAMES:
        raise Malformed("lines that are none")
    found: TracebackType | None = None
    for each in reversed(told):  # a traceback refers to the inner one
        if type(each) is not list or [type(part) for part in each] != [str, int, str]:
            raise Malformed("a line that is none")
        file, line, function = each
        if not 0 < line < _MAX_LINES:
            raise Malformed("a line that is none")
        if file in sources:
            found = _through(_code(shown_path(file), line, one_line(function)), line, found)
    return found


@lru_cache(512)
def _code(path: str, line: int, function: str) -> CodeType:
    """Return code that raises an exception, with the name and line of another function."""
    return _TEMPLATE.replace(
        co_filename=path, co_firstlineno=line, co_name=function, co_qualname=function
    )


def _through(code: CodeType, line: int, inner: TracebackType | None) -> TracebackType:
    """Return a traceback through `code`, and from there through `inner`."""
    # A traceback needs a frame, and CPython makes one only by running code.
    try:
        exec(code, {"error": _Nothing()})  # noqa: S102 - the code is ours: `raise error`
    except _Nothing as nothing:
        traceback = nothing.__traceback__
        there = traceback.tb_next if traceback is not None else None
        assert there is not None, "it was raised there"
        return TracebackType(inner, there.tb_frame, there.tb_lasti, line)
    raise AssertionError("it raises")


class _Nothing(Exception):
    """Raised to get a frame."""
