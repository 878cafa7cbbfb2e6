"""How much time a kit gives on the computer that it runs on."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from grader.suite.limits import Limits

PARTS = Path(__file__).parents[1] / "grader/plugins/kit/parts/grader"


@pytest.fixture
def pace() -> ModuleType:
    """The module of a kit, which no module of ours imports."""
    spec = importlib.util.spec_from_file_location("pace", PARTS / "pace.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("slowness", "factor"),
    [(0.2, 2), (1, 2), (3, 6), (1000, 16)],
    ids=["fast", "usual", "old", "hung"],
)
def test_old_computers_get_more_time(
    pace: ModuleType, monkeypatch: pytest.MonkeyPatch, slowness: float, factor: float
) -> None:
    """All clocks are as many times slower, within bounds; memory has the margin alone."""
    monkeypatch.setattr(pace, "_timed", lambda: slowness * pace._USUAL_S)
    limits = Limits(cpu_s=0.5)
    given = pace.unhurried(limits)
    assert pytest.approx(0.5 * factor) == given.cpu_s
    assert pytest.approx(limits.submission_wall_s * factor) == given.submission_wall_s
    assert 2 * limits.memory_bytes == given.memory_bytes
    assert limits.output_chars == given.output_chars


def test_the_fastest_try_counts(pace: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others do meanwhile is not taken for a slow computer."""
    tries = iter([5.0, *(pace._USUAL_S for _ in range(11))])
    monkeypatch.setattr(pace, "_timed", lambda: next(tries))
    assert pytest.approx(2 * Limits().cpu_s) == pace.unhurried(Limits()).cpu_s
