"""What tests have captured of what a submission printed: when they read it, what reports keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

_MOST_SHOWN: Final = 200_000
"""How many characters of a stream go with the report of a test."""


def when_read(notice: Callable[[], None]) -> Callable[[], None]:
    """Call `notice` whenever a fixture such as `capsys` is read; return what puts an end to it."""
    fixture: Any = pytest.CaptureFixture
    read = fixture.readouterr

    def readouterr(self: object) -> object:
        notice()
        return read(self)

    def undo() -> None:
        fixture.readouterr = read

    fixture.readouterr = readouterr
    return undo


def clip_sections(told: dict[str, Any]) -> None:
    """Shorten what was captured in a report that is to travel, or be kept."""
    told["sections"] = [
        (name, text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}\n[...]\n")
        for name, text in told["sections"]
    ]
