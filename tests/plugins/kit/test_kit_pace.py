"""How much time a kit gives on the computer that it runs on."""

from __future__ import annotations

import pytest

from grader.plugins.kit import pace
from grader.suite.limits import Limits


@pytest.mark.parametrize(
    ("slowness", "factor"),
    [(0.2, 2), (1, 2), (3, 6), (1000, 16)],
    ids=["fast", "usual", "old", "hung"],
)
def test_old_computers_get_more_time(
    monkeypatch: pytest.MonkeyPatch, slowness: float, factor: float
) -> None:
    """All clocks are as many times slower, within bounds; memory has the margin alone."""
    monkeypatch.setattr(pace, "_timed", lambda: slowness * pace._USUAL_S)
    limits = Limits(cpu_s=0.5)
    given = pace.unhurried(limits)
    assert pytest.approx(0.5 * factor) == given.cpu_s
    assert pytest.approx(limits.submission_wall_s * factor) == given.submission_wall_s
    assert 2 * limits.memory_bytes == given.memory_bytes
    assert limits.output_chars == given.output_chars


def test_the_fastest_try_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What others do meanwhile is not taken for a slow computer."""
    tries = iter([5.0, *(pace._USUAL_S for _ in range(11))])
    monkeypatch.setattr(pace, "_timed", lambda: next(tries))
    assert pytest.approx(2 * Limits().cpu_s) == pace.unhurried(Limits()).cpu_s
