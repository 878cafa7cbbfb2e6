"""What a submission says to whoever listens: its warnings and log records, for tests elsewhere."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

_MOST: Final = 1_000
"""Of each kind in one message; a program that says more has said enough."""
_LARGEST: Final = 2**63


class Notices(logging.Handler):
    """Keeps what was said until the next message takes it along."""

    def __init__(self, files: frozenset[str]) -> None:
        """Name `files` of the submission alone as where something was said."""
        super().__init__()
        self._files: Final = files
        self._warned: list[tuple[Any, str, int]] = []
        self._logged: list[list[Any]] = []

    def begin(self) -> None:
        """Listen from now on."""
        logging.root.addHandler(self)
        warnings.simplefilter("always")
        vars(warnings)["showwarning"] = self._warn

    def set(self, message: dict[str, Any]) -> None:
        """Take over what tests have set."""
        for name, content in message.get("environment", ()):
            if content is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = content
        if "arguments" in message:
            sys.argv = list(message["arguments"])
        for name, level in message.get("levels", ()):
            logging.getLogger(name or None).setLevel(level)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        if len(self._logged) < _MOST:
            where = self._file(record.pathname), record.lineno, record.funcName
            error = record.exc_info[1] if record.exc_info else None
            said = record.getMessage(), str(record.msg), _plain(record.args)
            self._logged.append([record.name, record.levelno, *where, *said, error])

    def _warn(
        self, message: Any, category: type, filename: str, lineno: int, *_how: object
    ) -> None:
        if len(self._warned) < _MOST:
            self._warned.append((message, self._file(filename), lineno))

    def _file(self, name: str) -> str:
        return name if name in self._files else "?"

    def add_to(self, message: dict[str, Any], write: Callable[[Any], Any]) -> None:
        """Add to `message` what has been said since the last one."""
        if self._logged:
            logged, self._logged = self._logged, []
            message["logged"] = [
                [*told, [] if error is None else [write(error)]] for *told, error in logged
            ]
        if self._warned:
            warned, self._warned = self._warned, []
            message["warned"] = [[write(warning), *where] for warning, *where in warned]


def _plain(arguments: Any) -> list[object]:
    """Return what a record was made with; of a dictionary, a list of its pairs alone.

    What is more than a plain value is told as its text.
    """
    if isinstance(arguments, tuple):
        return list(map(_as_plain, arguments))
    if isinstance(arguments, dict):
        pairs = [[key, _as_plain(each)] for key, each in arguments.items() if type(key) is str]
        return [pairs] if pairs else []
    return []


def _as_plain(value: Any) -> object:
    if _is_plain(value):
        return value
    try:
        return str.__str__(str(value))  # of no class of its own
    except Exception:  # noqa: BLE001 - its `__str__`: it was logged by other means, such as `%r`
        return type(value).__name__


def _is_plain(value: Any) -> bool:
    if type(value) in {int, float}:
        return bool(-_LARGEST < value < _LARGEST)
    return type(value) in {type(None), bool, str}
