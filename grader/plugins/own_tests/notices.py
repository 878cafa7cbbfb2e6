"""Collects a submission's warnings and log records, for tests in another process."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

_MAX: Final = 1_000
"""Records of each kind in one message; the rest is dropped."""
_LARGEST: Final = 2**63


class Notices(logging.Handler):
    """Buffers warnings and log records until the next message."""

    def __init__(self, files: frozenset[str]) -> None:
        """Report only `files`, those of the submission, as the origin of a record."""
        super().__init__()
        self._files: Final = files
        self._warnings: list[tuple[Any, str, int]] = []
        self._log_records: list[list[Any]] = []

    def begin(self) -> None:
        """Collect warnings and log records from now on."""
        logging.root.addHandler(self)
        warnings.simplefilter("always")  # the filters of the tests decide
        vars(warnings)["showwarning"] = self._warn

    def set(self, message: dict[str, Any]) -> None:
        """Apply the environment, arguments and log levels that tests have set."""
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
        """Buffer a record."""
        if len(self._log_records) < _MAX:
            location = self._file(record.pathname), record.lineno, record.funcName
            error = record.exc_info[1] if record.exc_info else None
            texts = record.getMessage(), str(record.msg), _plain(record.args)
            self._log_records.append([record.name, record.levelno, *location, *texts, error])

    def _warn(
        self, message: Any, category: type, filename: str, lineno: int, *_how: object
    ) -> None:
        if len(self._warnings) < _MAX:
            self._warnings.append((message, self._file(filename), lineno))

    def _file(self, name: str) -> str:
        return name if name in self._files else "?"

    def add_to(self, message: dict[str, Any], write: Callable[[Any], Any]) -> None:
        """Add to `message` the records since the last one."""
        if self._log_records:
            records, self._log_records = self._log_records, []
            message["logged"] = [
                [*fields, [] if error is None else [write(error)]] for *fields, error in records
            ]
        if self._warnings:
            warnings_raised, self._warnings = self._warnings, []
            message["warned"] = [
                [write(warning), *location] for warning, *location in warnings_raised
            ]


def _plain(arguments: Any) -> list[object]:
    """Return the arguments of a log record; a dictionary becomes one list of its pairs.

    Anything but a plain value is replaced by its text.
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
        return str.__str__(str(value))  # `__str__` may return a subclass of `str`
    except Exception:  # noqa: BLE001 - a broken `__str__` must not break logging by `%r`
        return type(value).__name__


def _is_plain(value: Any) -> bool:
    if type(value) in {int, float}:
        return bool(-_LARGEST < value < _LARGEST)
    return type(value) in {type(None), bool, str}
