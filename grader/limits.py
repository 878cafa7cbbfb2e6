"""How much of everything one session may use, and what happens beyond it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one session; times are CPU seconds unless they say wall."""

    cpu_s: float = 1.0
    """CPU seconds for one step (and for loading the file). Beyond it: TIMED_OUT."""
    session_cpu_s: float = 10.0
    """CPU seconds for a whole session, kept by the kernel too. Beyond it: TIMED_OUT."""
    wall_s: float = 5.0
    """Seconds on the clock for one step, for code that sleeps. Beyond it: TIMED_OUT."""
    session_wall_s: float = 10.0
    """Seconds on the clock for a whole session. Beyond it: TIMED_OUT."""
    memory_bytes: int = 128 * 1024 * 1024
    """Memory on top of what the bare interpreter takes. Beyond it a MemoryError: MEMORY."""
    output_chars: int = 250_000
    """Characters printed by one step, room for honest debugging. Beyond it: OUTPUT."""
    recursion: int = 20_000
    """Ceiling for `sys.setrecursionlimit`; the default limit of Python stays in force."""
    value_items: int = 20_000
    """Elements of a value that a step gives back, all levels together. Beyond it: WRONG."""
    value_depth: int = 40
    """Levels of nesting of such a value. Beyond it: WRONG."""
    value_chars: int = 100_000
    """Characters of text in such a value. Beyond it: WRONG."""
    int_digits: int = 4_932
    """Decimal digits of an integer in such a value. Beyond it: WRONG."""
    group_timeouts: int = 2
    """After so many time-outs in one group, the rest of that group is NOT_RUN."""
    timeouts: int = 8
    """After so many time-outs in all, what has not been tried by then is NOT_RUN."""
