"""Says which records are sure to come out the same the next time.

What a clock or a busy machine may have changed is never taken for somebody else's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from grader.judging.counterexamples import BRIEF_CPU_S
from grader.judging.record import Record
from grader.sandbox.gate import Gate
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.verdict import RuleVerdict, Status, Verdict

LONG_S: Final = 10.0
"""The time that ruff has, for advice. Who takes longer in all may have lost some."""
_LASTING: Final = frozenset(Verdict) - {
    Verdict.TIMED_OUT,
    Verdict.MEMORY,
    Verdict.CRASHED,  # so does what the kernel kills for want of memory
    Verdict.TAMPERED,
    Verdict.NOT_RUN,
    Verdict.FAULT,
}
PASSING_TROUBLES: Final = frozenset(
    {
        "cost.time_measured",
        "loading.memory",
        "loading.timed_out",
        "not_run.budget",
        "not_run.replies",
        "rule.slow",
        "rule.unreadable",
        "staff.budget",
        "staff.unrepeatable",
    }
)
"""Keys of messages about what need not be so the next time."""


class WatchedGate(Gate):
    """The gate of a machine as one submission passes it: tells whether a clock may have cut it."""

    def __init__(self, gate: Gate) -> None:
        """Let sessions through `gate`."""
        self._gate: Final = gate
        self._start_s: Final = time.monotonic()
        self._is_brief = True
        """Whether no session came near its limits, nor was in doubt and ran alone."""

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold while a session runs beside others."""
        with self._gate.shared():
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold while a session must have the machine for itself."""
        self._is_brief = False
        with self._gate.alone():
            yield

    def took(self, limits: Limits, cpu_s: float, wall_s: float) -> None:
        """Take note of a session; that it waited long for a processor is no matter by itself."""
        least_wall_s = min(limits.wall_s, limits.session_wall_s)
        self._is_brief &= cpu_s < min(BRIEF_CPU_S, limits.cpu_s) and wall_s < least_wall_s

    def was_brief(self, suite: Suite) -> bool:
        """Return whether certainly no clock cut anything off: neither a session nor the whole."""
        limits, whole_s = suite.limits, time.monotonic() - self._start_s
        longest_s = min(limits.submission_cpu_s, limits.submission_wall_s)
        return self._is_brief and whole_s < min(longest_s, LONG_S if suite.advice else longest_s)


def is_lasting(record: Record) -> bool:
    """Return whether `record` has nothing in it that may be otherwise the next time."""
    shown = (group.counterexample for group in record.groups)
    cases = (*record.cases, *(case for case in shown if case is not None))
    said = [*record.remarks, *record.staff_remarks]
    said += [each for rule in record.rules for each in rule.evidence]
    return (
        record.status is not Status.FAULT
        and {case.verdict for case in cases} <= _LASTING
        and PASSING_TROUBLES.isdisjoint(each.key for each in said)
        and not any(rule.verdict is RuleVerdict.REVIEW for rule in record.rules)
    )
