"""The limits on what a session and a submission may use, and the verdicts beyond them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from grader.protocol import HIGHEST_CAPS
from grader.suite.fields import Form, key
from grader.values.constraints import Bounded

_MIB: Final = 1024 * 1024
_BUDGET: Final = (
    "Second chances and repetitions count, too; what has not been tried by then is NOT_RUN."
)
_TOO_LARGE: Final = "Beyond it the value is told as too large, and the verdict is WRONG."


def _seconds(default: float, most: float, description: str) -> Any:
    return key(description, default, default=default, gt=0, le=most)


def _number(bounds: tuple[int, int, int], description: str, example: int | None = None) -> Any:
    """Return a key for a whole number; `bounds` are its least, default and largest value."""
    least, default, most = bounds
    return key(description, example or default, default=default, ge=least, le=most)


class Limits(Form, title="limits"):
    """How much may be used; what is left out keeps its default."""

    called = "limits"

    cpu_s: float = _seconds(
        1.0,
        60,
        "What one step may compute, and loading the submission, in seconds of an ordinary machine. "
        "Beyond it the verdict is TIMED_OUT.",
    )
    calls: Mapping[str, Annotated[float, Bounded(gt=0, le=600)]] = key(
        "What a step that calls one of these may use, in place of cpu_s.",
        {"best_score": 20.0},
        default_factory=dict,
    )
    session_cpu_s: float = _seconds(
        10.0,
        600,
        "The same for a whole session. Beyond it the verdict is TIMED_OUT.",
    )
    wall_s: float = _seconds(
        5.0,
        600,
        "Seconds that one step may sleep, or wait for anything but a processor. Beyond it the "
        "verdict is TIMED_OUT.",
    )
    session_wall_s: float = _seconds(
        10.0, 3600, "The same for a whole session. Beyond it the verdict is TIMED_OUT."
    )
    submission_cpu_s: float = _seconds(
        45.0, 3600, f"What a whole submission may compute, in the same seconds. {_BUDGET}"
    )
    submission_wall_s: float = _seconds(
        50.0, 7200, f"Seconds that a whole submission may wait. {_BUDGET}"
    )
    memory_bytes: int = _number(
        (64 * _MIB, 128 * _MIB, 8192 * _MIB),
        "Bytes of memory for a session. Beyond it the verdict is MEMORY.",
        example=256 * _MIB,
    )
    output_chars: int = _number(
        (1, 100_000, 10_000_000),
        "Characters that one step may print. Beyond it the verdict is OUTPUT.",
    )
    recursion: int = _number(
        (1_000, 20_000, 20_000), "Highest recursion limit that a submission may set for itself."
    )
    value_items: int = _number(
        (1, 20_000, HIGHEST_CAPS.value_items),
        f"Elements of a value that a step gives back, all levels together. {_TOO_LARGE}",
    )
    value_depth: int = _number(
        (1, 40, HIGHEST_CAPS.value_depth),
        f"Levels of nesting of a value that a step gives back. {_TOO_LARGE}",
    )
    value_chars: int = _number(
        (1, 100_000, HIGHEST_CAPS.value_chars),
        f"Characters of text in a value that a step gives back. {_TOO_LARGE}",
    )
    int_digits: int = _number(
        (20, 4_932, 20_000),
        f"Decimal digits of an integer in a value that a step gives back. {_TOO_LARGE}",
    )
