"""Rebuilds tracebacks of exceptions from a submission in this process, with its lines."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.protocol import MAX_FRAMES
from grader.values.foreign_text import one_line

SHOWN_FOLDER: Final = "submission"
"""The folder in which the submission's files appear to be."""
_MAX_LINE_NUMBER: Final = 1_000_000
_RAISING_TEMPLATE: Final = compile("raise error", "<submission>", "exec")


def register_sources(sources: Iterable[tuple[str, str]]) -> None:
    """Put the texts of these files into `linecache`, for tracebacks and `inspect.getsource`."""
    for file, text in sources:
        lines = text.splitlines(keepends=True)
        for name in (file, shown_path(file)):
            # With None as the time, `checkcache` keeps the entry.
            linecache.cache[name] = (len(text), None, lines, name)


def shown_path(file: str) -> str:
    """Return the path under which a file of the submission appears in tracebacks."""
    return f"{SHOWN_FOLDER}/{one_line(file)}"


def calling_frame() -> FrameType | None:
    """Return the innermost calling frame outside the grader and the standard library, or None."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - only the stack has the callers
    while frame is not None and _is_internal(frame):
        frame = frame.f_back
    return frame


def current_line() -> str:
    """Return the current line of the tests in the form `file:line`, or "" if it is unknown."""
    frame = calling_frame()
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""


def _is_internal(frame: FrameType) -> bool:
    """Return whether `frame` belongs to the grader or the standard library."""
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return package == "grader" or package in sys.stdlib_module_names


def traceback_of(frames: Any, sources: Mapping[str, str]) -> TracebackType | None:
    """Return a traceback through the `frames` of a submission, or None if no frame is left.

    Frames in files that are not in `sources` are left out. Raises `Malformed` if the frames are
    invalid, or too many.
    """
    if type(frames) is not list or len(frames) > MAX_FRAMES:
        raise Malformed(f"expected a list of at most {MAX_FRAMES} frames of a traceback")
    traceback: TracebackType | None = None
    for frame in reversed(frames):  # each traceback object refers to the inner one
        if type(frame) is not list or [type(part) for part in frame] != [str, int, str]:
            raise Malformed("expected the file, the line and the function of a frame")
        file, line, function = frame
        if not 0 < line < _MAX_LINE_NUMBER:
            raise Malformed("the line number of a frame is out of range")
        if file in sources:
            traceback = _traceback_through(
                _raising_code(shown_path(file), line, one_line(function)), line, traceback
            )
    return traceback


@lru_cache(512)
def _raising_code(path: str, line: int, function: str) -> CodeType:
    """Return code that raises an exception, and appears to be in this file, line and function."""
    return _RAISING_TEMPLATE.replace(
        co_filename=path, co_firstlineno=line, co_name=function, co_qualname=function
    )


def _traceback_through(code: CodeType, line: int, inner: TracebackType | None) -> TracebackType:
    """Return a traceback that leads through `code`, and then through `inner`."""
    # A traceback needs a frame, which CPython only creates by running code.
    try:
        exec(code, {"error": _FrameRequest()})  # noqa: S102 - the code is fixed: `raise error`
    except _FrameRequest as request:
        traceback = request.__traceback__
        raised_at = traceback.tb_next if traceback is not None else None
        assert raised_at is not None, "the code has raised the exception"
        return TracebackType(inner, raised_at.tb_frame, raised_at.tb_lasti, line)
    raise AssertionError("the code always raises")


class _FrameRequest(Exception):
    """Raised only to get a frame."""
