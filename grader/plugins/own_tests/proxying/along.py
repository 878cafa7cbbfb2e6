"""Data sent along with messages: settings of the tests one way, warnings and logs the other.

A submission gets the environment that a test has set (`monkeypatch.setenv`), and the log levels of
the tests. Its warnings and log records are repeated here, where `pytest.warns` and `caplog` look.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.shapes import (
    as_int,
    as_list,
    as_name,
    as_pair,
    as_parts,
    as_plain,
    as_text,
)
from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.tracebacks import calling_frame, shown_path

_OF_PYTEST: Final = "PYTEST_"
"""Prefix of pytest's own variables, which name the current test: they are not sent."""
_MAX_LINES: Final = 1_000_000
ELSEWHERE: Final = "?"
"""Stands for a file that is not the submission's."""


class Along:
    """Sends the settings of the tests, and repeats warnings and log records of the submission."""

    def __init__(self, *, logs: bool) -> None:
        """Take the current settings as the baseline; send log levels if the submission `logs`."""
        self._logs: Final = logs
        self._own_environment: Final = dict(os.environ)
        self._raw_environment: dict[bytes, bytes] = {}
        self._last_environment: dict[str, str | None] = {}
        self._last_levels: dict[str, int] = {}
        self._own_arguments: Final = list(sys.argv)
        self._last_arguments = self._own_arguments
        self._kept = self._last_environment, self._last_levels

    def keep(self) -> None:
        """Keep what has been sent by now: each restart goes back to it."""
        self._kept = dict(self._last_environment), dict(self._last_levels)

    def restart(self) -> None:
        """Go back to what had been sent at the end of collection."""
        self._raw_environment = {}
        self._last_arguments = self._own_arguments
        environment, levels = self._kept
        self._last_environment, self._last_levels = dict(environment), dict(levels)

    def add_to_message(self, message: dict[str, Any]) -> None:
        """Add to `message` the settings that have changed; None for a variable that is unset."""
        environment = (
            self._changed_variables()
            if _variables() != self._raw_environment
            else self._last_environment
        )
        if environment != self._last_environment:
            removed = dict.fromkeys(self._last_environment.keys() - environment.keys())
            message["environment"] = list(map(list, {**environment, **removed}.items()))
            self._last_environment = environment
        if sys.argv != self._last_arguments:
            self._last_arguments = list(sys.argv)
            is_own = sys.argv == self._own_arguments
            message["arguments"] = [""] if is_own else list(map(str, sys.argv))  # ours are pytest's
        levels = _levels() if self._logs else {}
        if levels != self._last_levels:
            removed_levels = dict.fromkeys(self._last_levels.keys() - levels.keys(), logging.NOTSET)
            message["levels"] = list(map(list, {**levels, **removed_levels}.items()))
            self._last_levels = levels

    def _changed_variables(self) -> dict[str, str | None]:
        """Return the variables that differ from the baseline, None for those that are gone."""
        self._raw_environment = dict(_variables())
        names = os.environ.keys() | self._own_environment.keys()
        return {
            name: os.environ.get(name)
            for name in sorted(names)
            if os.environ.get(name) != self._own_environment.get(name)
            and not name.startswith(_OF_PYTEST)
        }

    def apply_message(self, message: dict[str, Any], read: Callable[[Any], Any]) -> None:
        """Repeat the log records and warnings of the submission; raises `Malformed`."""
        for encoded in as_list(message.get("logged", [])):
            record = _record(encoded, read)
            if record.levelno > logging.root.manager.disable:  # the submission checked the levels
                logging.getLogger(record.name).handle(record)
        for encoded in as_list(message.get("warned", [])):
            encoded_warning, file, line = as_parts(encoded, 3)
            warning = read(encoded_warning)
            if not issubclass(type(warning), Warning):
                raise Malformed("a warning that is none")
            where = as_name(file), _line(line)
            if where[0] == ELSEWHERE and (caller := calling_frame()) is not None:
                place = caller.f_code.co_filename, caller.f_lineno
            else:
                place = shown_path(where[0]), where[1]
            warnings.warn_explicit(warning, type(warning), *place)


class _FormattedRecord(logging.LogRecord):
    """A record whose message was formatted by the submission."""

    text = ""

    def getMessage(self) -> str:  # noqa: N802 - as logging calls it
        """Return the message."""
        return self.text


def _record(encoded: Any, read: Callable[[Any], Any]) -> logging.LogRecord:
    """Return the log record in `encoded`; raises `Malformed`."""
    name, level, file, line, function, text, template, arguments, errors = as_parts(encoded, 9)
    error = next(iter(map(read, as_list(errors))), None)
    if not isinstance(error, BaseException | None):
        raise Malformed("an exception that is none")
    raised = None if error is None else (type(error), error, error.__traceback__)
    record_arguments = _arguments(as_list(arguments))
    record = _FormattedRecord(
        as_name(name), as_int(level), shown_path(as_name(file)), _line(line), as_text(template),
        None, raised, as_name(function),
    )  # fmt: skip
    # Set here, as `LogRecord` itself looks at the first of its arguments.
    record.text, record.args = as_text(text), record_arguments
    return record


def _arguments(encoded: list[Any]) -> tuple[object, ...] | dict[str, object]:
    """Return the arguments of a record: a dictionary is sent as one list of its pairs."""
    if len(encoded) == 1 and type(encoded[0]) is list and encoded[0]:
        return {as_text(key): as_plain(value) for key, value in map(as_pair, encoded[0])}
    return tuple(map(as_plain, encoded))


def _variables() -> dict[bytes, bytes]:
    """Return the raw environment, for a fast comparison."""
    environment: Any = os.environ
    kept: dict[bytes, bytes] = environment._data  # noqa: SLF001 - `os.environ` decodes all of it
    return kept


def _line(encoded: Any) -> int:
    return max(0, min(as_int(encoded), _MAX_LINES))


def _levels() -> dict[str, int]:
    """Return the levels of loggers that have their own, the root's under an empty name."""
    loggers = logging.root.manager.loggerDict.items()
    found = {name: each.level for name, each in loggers if isinstance(each, logging.Logger)}
    return {"": logging.root.level} | {name: level for name, level in found.items() if level}
