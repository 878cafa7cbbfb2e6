"""Collects a submission's warnings and log records, for tests in another process."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

_MAX_RECORDS: Final = 1_000
"""The limit on records of each kind in one message; any more are dropped."""
_INTEGER_LIMIT: Final = 2**63
"""Larger numbers are sent as text."""


class Notices(logging.Handler):
    """Buffers warnings and log records until the next message is sent."""

    def __init__(self, files: frozenset[str]) -> None:
        """Report the file of a record only if it is in `files`, the files of the submission."""
        super().__init__()
        self._files: Final = files
        self._warnings: list[tuple[Any, str, int]] = []
        self._log_records: list[list[Any]] = []

    def begin(self) -> None:
        """Collect warnings and log records from now on.

        Replaces `warnings.showwarning`, and switches the warning filters off.
        """
        logging.root.addHandler(self)
        # The tests have filters of their own, which apply when the warning is repeated there.
        warnings.simplefilter("always")
        vars(warnings)["showwarning"] = self._warn

    def apply_settings(self, message: dict[str, Any]) -> None:
        """Apply the environment variables, arguments and log levels that tests have changed."""
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
        """Buffer a log record, unless there are too many. `logging` calls this."""
        if len(self._log_records) < _MAX_RECORDS:
            location = self._shown_file(record.pathname), record.lineno, record.funcName
            error = record.exc_info[1] if record.exc_info else None
            # Formatted now, because the arguments can change before the message is sent.
            texts = record.getMessage(), str(record.msg), _plain_arguments(record.args)
            self._log_records.append([record.name, record.levelno, *location, *texts, error])

    def _warn(
        self, message: Any, category: type, filename: str, lineno: int, *_details: object
    ) -> None:
        """Buffer a warning, unless there are too many. Replaces `warnings.showwarning`."""
        if len(self._warnings) < _MAX_RECORDS:
            self._warnings.append((message, self._shown_file(filename), lineno))

    def _shown_file(self, name: str) -> str:
        """Return `name` if it is a file of the submission, otherwise a placeholder."""
        return name if name in self._files else "?"

    def add_to(self, message: dict[str, Any], write: Callable[[Any], Any]) -> None:
        """Add the buffered records to `message`, and clear the buffers."""
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


def _plain_arguments(arguments: Any) -> list[object]:
    """Return the arguments of a log record as plain values.

    A dictionary becomes one list of pairs, without keys that are not text. A value that is not
    plain is replaced with its text.
    """
    if isinstance(arguments, tuple):
        return list(map(_as_plain, arguments))
    if isinstance(arguments, dict):
        pairs = [[key, _as_plain(value)] for key, value in arguments.items() if type(key) is str]
        return [pairs] if pairs else []
    return []


def _as_plain(value: Any) -> object:
    """Return `value` if it is plain, or else its text, or the name of its class if `str` fails."""
    if _is_plain(value):
        return value
    try:
        return str.__str__(str(value))  # `__str__` can return a subclass of `str`
    except Exception:  # noqa: BLE001 - a broken `__str__` must not break logging with `%r`
        return type(value).__name__


def _is_plain(value: Any) -> bool:
    """Return whether `value` can be sent unchanged. Very large numbers cannot, nor can `nan`."""
    if type(value) in {int, float}:
        return bool(-_INTEGER_LIMIT < value < _INTEGER_LIMIT)
    return type(value) in {type(None), bool, str}
