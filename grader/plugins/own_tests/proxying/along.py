"""Data that goes along with messages: settings of the tests one way, warnings and logs the other.

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
        self._own: Final = dict(os.environ)
        self._seen: dict[bytes, bytes] = {}
        self._last: dict[str, str | None] = {}
        self._last_levels: dict[str, int] = {}
        self._own_arguments: Final = list(sys.argv)
        self._last_arguments = self._own_arguments
        self._kept = self._last, self._last_levels

    def keep(self) -> None:
        """Keep what has been sent by now, with which each new life begins."""
        self._kept = dict(self._last), dict(self._last_levels)

    def begin_anew(self) -> None:
        """Go back to what had been sent when each life begins."""
        self._seen = {}
        self._last_arguments = self._own_arguments
        environment, levels = self._kept
        self._last, self._last_levels = dict(environment), dict(levels)

    def leave(self, message: dict[str, Any]) -> None:
        """Add to `message` the settings that have changed; None for a variable that is unset."""
        now = self._set() if _variables() != self._seen else self._last
        if now != self._last:
            gone = dict.fromkeys(self._last.keys() - now.keys())
            message["environment"] = list(map(list, {**now, **gone}.items()))
            self._last = now
        if sys.argv != self._last_arguments:
            self._last_arguments = list(sys.argv)
            is_own = sys.argv == self._own_arguments
            message["arguments"] = [""] if is_own else list(map(str, sys.argv))  # ours are pytest's
        levels = _levels() if self._logs else {}
        if levels != self._last_levels:
            gone_levels = dict.fromkeys(self._last_levels.keys() - levels.keys(), logging.NOTSET)
            message["levels"] = list(map(list, {**levels, **gone_levels}.items()))
            self._last_levels = levels

    def _set(self) -> dict[str, str | None]:
        """Return the variables that differ from the baseline, None for those that are gone."""
        self._seen = dict(_variables())
        names = os.environ.keys() | self._own.keys()
        return {
            name: os.environ.get(name)
            for name in sorted(names)
            if os.environ.get(name) != self._own.get(name) and not name.startswith(_OF_PYTEST)
        }

    def enter(self, message: dict[str, Any], read: Callable[[Any], Any]) -> None:
        """Repeat the log records and warnings of the submission; raises `Malformed`."""
        for told in as_list(message.get("logged", [])):
            record = _record(told, read)
            if record.levelno > logging.root.manager.disable:  # the submission checked the levels
                logging.getLogger(record.name).handle(record)
        for told in as_list(message.get("warned", [])):
            warning_told, file, line = as_parts(told, 3)
            warning = read(warning_told)
            if not issubclass(type(warning), Warning):
                raise Malformed("a warning that is none")
            where = as_name(file), _line(line)
            if where[0] == ELSEWHERE and (caller := calling_frame()) is not None:
                place = caller.f_code.co_filename, caller.f_lineno
            else:
                place = shown_path(where[0]), where[1]
            warnings.warn_explicit(warning, type(warning), *place)


class _ToldRecord(logging.LogRecord):
    """A record whose message was formatted by the submission."""

    told = ""

    def getMessage(self) -> str:  # noqa: N802 - as logging calls it
        """Return the message."""
        return self.told


def _record(told: Any, read: Callable[[Any], Any]) -> logging.LogRecord:
    """Return the log record in `told`; raises `Malformed`."""
    name, level, file, line, function, text, template, arguments, errors = as_parts(told, 9)
    error = next(iter(map(read, as_list(errors))), None)
    if not isinstance(error, BaseException | None):
        raise Malformed("an exception that is none")
    raised = None if error is None else (type(error), error, error.__traceback__)
    made = _arguments(as_list(arguments))
    record = _ToldRecord(
        as_name(name), as_int(level), shown_path(as_name(file)), _line(line), as_text(template),
        None, raised, as_name(function),
    )  # fmt: skip
    # Set here, as `LogRecord` itself looks at the first of its arguments.
    record.told, record.args = as_text(text), made
    return record


def _arguments(told: list[Any]) -> tuple[object, ...] | dict[str, object]:
    """Return the arguments of a record: a dictionary is sent as one list of its pairs."""
    if len(told) == 1 and type(told[0]) is list and told[0]:
        return {as_text(key): as_plain(value) for key, value in map(as_pair, told[0])}
    return tuple(map(as_plain, told))


def _variables() -> dict[bytes, bytes]:
    """Return the raw environment, for a fast comparison."""
    environment: Any = os.environ
    kept: dict[bytes, bytes] = environment._data  # noqa: SLF001 - `os.environ` decodes all of it
    return kept


def _line(told: Any) -> int:
    return max(0, min(as_int(told), _MAX_LINES))


def _levels() -> dict[str, int]:
    """Return the levels of loggers that have their own, the root's under an empty name."""
    named = logging.root.manager.loggerDict.items()
    found = {name: each.level for name, each in named if isinstance(each, logging.Logger)}
    return {"": logging.root.level} | {name: level for name, level in found.items() if level}
