"""What a walled process of tests runs, and the limits on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits on one phase of the process: on a test, or on everything around the tests."""

    cpu_s: float
    wall_s: float
    memory_bytes: int
    """The limit on memory, in addition to the memory that is used at the start of the phase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalledJob:
    """The work of one process of tests, with the files that it can reach and its limits."""

    start: Mapping[str, Any]
    """The first message to the process."""
    readable: tuple[str, ...]
    """The files and folders that the process is allowed to read."""
    listed: tuple[str, ...]
    """The folders whose content it is allowed to list."""
    folder: str
    """The current folder of the process."""
    around_bounds: Bounds
    """The limits while no test runs, such as during collection."""
    test_bounds: Bounds
    """The limits on a test."""
    late_bounds: Bounds
    """The limits on a test once the tests of the hand-in have used up `total_s`."""
    total_s: float
    """The time for all tests of a hand-in, without the time for which they wait for the CPU."""
    shows_output: bool
    """Whether the output of pytest is shown."""
    has_terminal: bool = False
    """Whether the process uses the grader's terminal, for a debugger. If it does, no limit applies,
    because the user decides how long to debug."""
