"""Describes an exception for the judge."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Any, Final

from grader.executor.encoding import mro_names
from grader.executor.stand_ins import ModuleNotAllowed
from grader.protocol import MAX_FRAMES, MAX_MESSAGE_CHARS, MAX_NAME_CHARS

_EXCEPTIONS: Final = {
    value.__name__: value
    for value in (ModuleNotAllowed, *vars(builtins).values())
    if isinstance(value, type) and issubclass(value, BaseException)
}
"""The exceptions that the judge recognises by name. A submission's class of the same name is
reported with its module."""

traceback_of: Final[Callable[[BaseException], TracebackType | None]] = BaseException.__dict__[
    "__traceback__"
].__get__
"""Returns the traceback of an exception, even if its class overrides the attribute."""


_with_traceback: Final = BaseException.with_traceback


def describe_exception(error: BaseException, file_names: Collection[str]) -> dict[str, object]:
    """Describe `error` for the reply to the judge, with its frames in the submission's files.

    Clears the traceback of a `MemoryError`.
    """
    depth, frames = _submission_frames(error, file_names)
    if type(error) is MemoryError:
        _with_traceback(error, None)  # frees the objects in its frames: the reply needs memory
    return {
        "types": mro_names(type(error), _EXCEPTIONS),
        "message": _error_text(error),
        "depth": depth,
        "frames": frames,
    }


def _submission_frames(
    error: BaseException, file_names: Collection[str]
) -> tuple[int, list[list[object]]]:
    """Return how many frames of the submission were active, and the innermost ones.

    Each frame is a list of its file, line and function.
    """
    frames: list[list[object]] = []
    traceback = traceback_of(error)
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in file_names:
            function = str.__str__(code.co_name)[:MAX_NAME_CHARS]
            frames.append([code.co_filename, traceback.tb_lineno, function])
        traceback = traceback.tb_next
    return len(frames), frames[-MAX_FRAMES:]


def _error_text(error: BaseException) -> str:
    """Return the message of `error`, clipped.

    Its `__str__` might be written in the submission. If that raises any exception, return a text
    that says so.
    """
    try:
        text = str(error)
    except BaseException:
        return "<its __str__ raised an exception>"
    return str.__str__(text)[:MAX_MESSAGE_CHARS]  # exact, as `str()` can return a subclass


def exceeded_limit(observation: dict[str, Any]) -> bool:
    """Return whether the observed step exceeded its limit on output or memory.

    Exceeding any other limit ends the executor.
    """
    error = observation.get("raised")
    return observation["overflow"] or (error is not None and "MemoryError" in error["types"])
