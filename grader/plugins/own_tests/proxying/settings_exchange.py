"""Data sent along with messages: settings of the tests one way, warnings and logs the other.

A submission gets the environment variables that a test has set (`monkeypatch.setenv`), and the log
levels of the tests. Its warnings and log records are repeated in this process, where `pytest.warns`
and `caplog` look for them.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.checked_shapes import (
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

_PYTEST_PREFIX: Final = "PYTEST_"
"""The prefix of pytest's own variables, which name the current test and are not sent."""
_MAX_LINE: Final = 1_000_000
ELSEWHERE: Final = "?"
"""The name sent for a file that is not part of the submission."""


class SettingsExchange:
    """Sends the settings of the tests, and repeats warnings and log records of the submission."""

    def __init__(self, *, sends_log_levels: bool) -> None:
        """Use the current settings as the baseline.

        Log levels are sent only with `sends_log_levels`, for a submission that uses `logging`.
        """
        self._sends_log_levels: Final = sends_log_levels
        self._initial_environment: Final = dict(os.environ)
        self._raw_environment: dict[bytes, bytes] = {}
        self._last_environment: dict[str, str | None] = {}
        self._last_levels: dict[str, int] = {}
        self._initial_arguments: Final = list(sys.argv)
        self._last_arguments = self._initial_arguments
        self._sent_at_collection = self._last_environment, self._last_levels

    def keep(self) -> None:
        """Remember, after collection, what has been sent; each restart returns to that state."""
        self._sent_at_collection = dict(self._last_environment), dict(self._last_levels)

    def restart(self) -> None:
        """Count as sent only those settings that had been sent when `keep` was called."""
        self._raw_environment = {}
        self._last_arguments = self._initial_arguments
        environment, levels = self._sent_at_collection
        self._last_environment, self._last_levels = dict(environment), dict(levels)

    def add_to_message(self, message: dict[str, Any]) -> None:
        """Add the settings that have changed to `message`; a removed variable is sent as None."""
        environment = (
            self._changed_variables()
            if _raw_variables() != self._raw_environment
            else self._last_environment
        )
        if environment != self._last_environment:
            removed = dict.fromkeys(self._last_environment.keys() - environment.keys())
            message["environment"] = list(map(list, {**environment, **removed}.items()))
            self._last_environment = environment
        if sys.argv != self._last_arguments:
            self._last_arguments = list(sys.argv)
            is_initial = sys.argv == self._initial_arguments
            # The initial arguments are those of pytest, which are not sent.
            message["arguments"] = [""] if is_initial else list(map(str, sys.argv))
        levels = _current_levels() if self._sends_log_levels else {}
        if levels != self._last_levels:
            removed_levels = dict.fromkeys(self._last_levels.keys() - levels.keys(), logging.NOTSET)
            message["levels"] = list(map(list, {**levels, **removed_levels}.items()))
            self._last_levels = levels

    def _changed_variables(self) -> dict[str, str | None]:
        """Return the variables that differ from the baseline, with None for removed ones.

        Also stores the raw environment for the next comparison.
        """
        self._raw_environment = dict(_raw_variables())
        names = os.environ.keys() | self._initial_environment.keys()
        return {
            name: os.environ.get(name)
            for name in sorted(names)
            if os.environ.get(name) != self._initial_environment.get(name)
            and not name.startswith(_PYTEST_PREFIX)
        }

    def apply_message(self, message: dict[str, Any], read: Callable[[Any], Any]) -> None:
        """Repeat the log records and warnings in `message`.

        Raises `Malformed` if one of them is invalid.
        """
        for encoded in as_list(message.get("logged", [])):
            record = _read_record(encoded, read)
            # Levels were already applied in the executor.
            if record.levelno > logging.root.manager.disable:
                logging.getLogger(record.name).handle(record)
        for encoded in as_list(message.get("warned", [])):
            encoded_warning, file, line = as_parts(encoded, 3)
            warning = read(encoded_warning)
            if not issubclass(type(warning), Warning):
                raise Malformed("expected a warning")
            reported_location = as_name(file), _clamp_line(line)
            # With a suitable `stacklevel`, a warning belongs to the caller, which is in the tests.
            if reported_location[0] == ELSEWHERE and (caller := calling_frame()) is not None:
                location = caller.f_code.co_filename, caller.f_lineno
            else:
                location = shown_path(reported_location[0]), reported_location[1]
            warnings.warn_explicit(warning, type(warning), *location)


class _FormattedRecord(logging.LogRecord):
    """A log record whose message the submission has already formatted."""

    text = ""

    def getMessage(self) -> str:  # noqa: N802 - as logging calls it
        """Return the formatted message."""
        return self.text


def _read_record(encoded: Any, read: Callable[[Any], Any]) -> logging.LogRecord:
    """Return the log record in `encoded`; raises `Malformed` if it is invalid."""
    name, level, file, line, function, text, template, arguments, errors = as_parts(encoded, 9)
    error = next(iter(map(read, as_list(errors))), None)
    if not isinstance(error, BaseException | None):
        raise Malformed("expected the exception of a log record")
    exc_info = None if error is None else (type(error), error, error.__traceback__)
    record_arguments = _read_arguments(as_list(arguments))
    record = _FormattedRecord(
        as_name(name), as_int(level), shown_path(as_name(file)), _clamp_line(line),
        as_text(template), None, exc_info, as_name(function),
    )  # fmt: skip
    # The arguments are set afterwards, as `LogRecord.__init__` calls methods of the first one.
    record.text, record.args = as_text(text), record_arguments
    return record


def _read_arguments(encoded: list[Any]) -> tuple[object, ...] | dict[str, object]:
    """Return the arguments of a log record; a dictionary was sent as one list of its pairs.

    Raises `Malformed` if one of them is not a plain value.
    """
    if len(encoded) == 1 and type(encoded[0]) is list and encoded[0]:
        return {as_text(key): as_plain(value) for key, value in map(as_pair, encoded[0])}
    return tuple(map(as_plain, encoded))


def _raw_variables() -> dict[bytes, bytes]:
    """Return the raw environment, which is fast to compare."""
    environment: Any = os.environ
    raw: dict[bytes, bytes] = environment._data  # noqa: SLF001 - `os.environ` decodes all of it
    return raw


def _clamp_line(encoded: Any) -> int:
    """Return a line number, limited to a sensible range; raises `Malformed` if it is no integer."""
    return max(0, min(as_int(encoded), _MAX_LINE))


def _current_levels() -> dict[str, int]:
    """Return the levels that are set on loggers, keyed by name; the root has an empty name."""
    loggers = logging.root.manager.loggerDict.items()
    levels = {name: logger.level for name, logger in loggers if isinstance(logger, logging.Logger)}
    return {"": logging.root.level} | {name: level for name, level in levels.items() if level}
