"""What a submission says to whoever listens: its warnings and log records, for tests elsewhere."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from typing import Any, Final

_MOST: Final = 1_000
"""Of each kind in one message; a program that says more has said enough."""


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
        for name, level in message.get("levels", ()):
            logging.getLogger(name or None).setLevel(level)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        if len(self._logged) < _MOST:
            where = self._file(record.pathname), record.lineno, record.funcName
            self._logged.append([record.name, record.levelno, record.getMessage(), *where])

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
            message["logged"], self._logged = self._logged, []
        if self._warned:
            warned, self._warned = self._warned, []
            message["warned"] = [[write(warning), *where] for warning, *where in warned]
