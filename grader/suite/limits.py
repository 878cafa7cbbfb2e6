"""The limits on what a session and a submission may use, and the verdicts for exceeding them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from grader.protocol import HIGHEST_CAPS
from grader.suite.fields import Form, key
from grader.values.constraints import Bounded

_MIB: Final = 1024 * 1024
_BUDGET: Final = "Includes second chances and repetitions. Beyond it the rest is NOT_RUN."
_TOO_LARGE: Final = "Beyond it: WRONG."


def _seconds(default: float, highest: float, description: str) -> Any:
    """Return a key for a number of seconds, more than 0 and up to `highest`."""
    return key(description, default, default=default, gt=0, le=highest)


def _number(bounds: tuple[int, int, int], description: str, example: int | None = None) -> Any:
    """Return a key for a whole number; `bounds` are its minimum, default and maximum.

    Its example is the default unless `example` is given.
    """
    lowest, default, highest = bounds
    return key(description, example or default, default=default, ge=lowest, le=highest)


class Limits(Form, title="limits"):
    """How much sessions and submissions may use; limits that are left out keep their defaults."""

    form_name = "limits"

    cpu_s: float = _seconds(
        1.0,
        60,
        "Computing time of one step, or of loading, in seconds of an ordinary machine. Beyond "
        "it: TIMED_OUT.",
    )
    calls: Mapping[str, Annotated[float, Bounded(gt=0, le=600)]] = key(
        "The same for steps that call one of these functions.",
        {"best_score": 20.0},
        default_factory=dict,
    )
    session_cpu_s: float = _seconds(
        10.0,
        600,
        "The same for a whole session. Beyond it: TIMED_OUT.",
    )
    wall_s: float = _seconds(
        5.0,
        600,
        "Seconds that one step may sleep or wait. Beyond it: TIMED_OUT.",
    )
    session_wall_s: float = _seconds(
        10.0, 3600, "The same for a whole session. Beyond it: TIMED_OUT."
    )
    submission_cpu_s: float = _seconds(
        45.0, 3600, f"Computing time of a whole submission. {_BUDGET}"
    )
    submission_wall_s: float = _seconds(
        50.0, 7200, f"Seconds that a whole submission may wait. {_BUDGET}"
    )
    memory_bytes: int = _number(
        (64 * _MIB, 128 * _MIB, 8192 * _MIB),
        "Bytes of memory for a session. Beyond it: MEMORY.",
        example=256 * _MIB,
    )
    output_chars: int = _number(
        (1, 100_000, 10_000_000),
        "Characters that one step may print. Beyond it: OUTPUT.",
    )
    recursion: int = _number(
        (1_000, 20_000, 20_000), "Highest recursion limit that a submission may set."
    )
    value_items: int = _number(
        (1, 20_000, HIGHEST_CAPS.value_items),
        f"Elements of a returned value, at all levels. {_TOO_LARGE}",
    )
    value_depth: int = _number(
        (1, 40, HIGHEST_CAPS.value_depth),
        f"Levels of nesting of a returned value. {_TOO_LARGE}",
    )
    value_chars: int = _number(
        (1, 100_000, HIGHEST_CAPS.value_chars),
        f"Characters of text in a returned value. {_TOO_LARGE}",
    )
    int_digits: int = _number(
        (20, 4_932, 20_000),
        f"Decimal digits of an integer in a returned value. {_TOO_LARGE}",
    )
