"""How much of everything one session may use, and what happens beyond it."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, Field

from grader.protocol import HIGHEST_CAPS
from grader.suite.fields import Form

_MIB: Final = 1024 * 1024


class Limits(Form):
    """How much one session may use; what is left out keeps its default."""

    model_config = ConfigDict(title="limits")
    called = "limits"

    cpu_s: float = Field(
        default=1.0,
        gt=0,
        le=60,
        description="CPU seconds for one step, and for loading the submission. Beyond it the "
        "verdict is TIMED_OUT.",
        examples=[1.0],
    )
    session_cpu_s: float = Field(
        default=10.0,
        gt=0,
        le=600,
        description="CPU seconds for a whole session. Beyond it the verdict is TIMED_OUT.",
        examples=[10.0],
    )
    wall_s: float = Field(
        default=5.0,
        gt=0,
        le=600,
        description="Seconds on the clock for one step, for code that sleeps. Beyond it the "
        "verdict is TIMED_OUT.",
        examples=[5.0],
    )
    session_wall_s: float = Field(
        default=10.0,
        gt=0,
        le=3600,
        description="Seconds on the clock for a whole session. Beyond it the verdict is TIMED_OUT.",
        examples=[10.0],
    )
    memory_bytes: int = Field(
        default=128 * _MIB,
        ge=64 * _MIB,
        le=8192 * _MIB,
        description="Bytes of memory for a session. Beyond it the verdict is MEMORY.",
        examples=[268435456],
    )
    output_chars: int = Field(
        default=250_000,
        ge=1,
        le=10_000_000,
        description="Characters that one step may print. Beyond it the verdict is OUTPUT.",
        examples=[250000],
    )
    recursion: int = Field(
        default=20_000,
        ge=1_000,
        le=20_000,
        description="Highest recursion limit that a submission may set for itself.",
        examples=[20000],
    )
    value_items: int = Field(
        default=20_000,
        ge=1,
        le=HIGHEST_CAPS.value_items,
        description="Elements of a value that a step gives back, all levels together. Beyond it "
        "the value is told as too large, and the verdict is WRONG.",
        examples=[20000],
    )
    value_depth: int = Field(
        default=40,
        ge=1,
        le=HIGHEST_CAPS.value_depth,
        description="Levels of nesting of a value that a step gives back. Beyond it the value is "
        "told as too large, and the verdict is WRONG.",
        examples=[40],
    )
    value_chars: int = Field(
        default=100_000,
        ge=1,
        le=HIGHEST_CAPS.value_chars,
        description="Characters of text in a value that a step gives back. Beyond it the value is "
        "told as too large, and the verdict is WRONG.",
        examples=[100000],
    )
    int_digits: int = Field(
        default=4_932,
        ge=20,
        le=20_000,
        description="Decimal digits of an integer in a value that a step gives back. Beyond it "
        "the value is told as too large, and the verdict is WRONG.",
        examples=[4932],
    )
    group_timeouts: int = Field(
        default=2,
        ge=1,
        le=1_000,
        description="After so many time-outs in one group, the rest of that group is NOT_RUN.",
        examples=[2],
    )
    timeouts: int = Field(
        default=8,
        ge=1,
        le=10_000,
        description="After so many time-outs in all, what has not been tried by then is NOT_RUN.",
        examples=[8],
    )
