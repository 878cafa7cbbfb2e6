"""The benchmarks go on working; what they measure is not for tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import hidden_suites
from isolation_cost import without_walls

from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.loading import load_whole_suite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")


def test_zygote_without_walls_has_none() -> None:
    """The cost of the walls is measured against a zygote that really has none."""
    with without_walls() as bare:
        assert 0 == bare.isolation.level
        assert not any(state for _, state in bare.isolation.layers)


@pytest.mark.commands
def test_cost_of_counterexamples_is_measured_where_there_are_any(
    root: Path, zygote: Zygote, capsys: pytest.CaptureFixture[str]
) -> None:
    """A solution that only hidden cases show to be wrong is counted, a right one is not."""
    suite = load_whole_suite(root / "testsuites/yinyang.yaml", KINDS)
    right = (root / "reference/yinyang/yinyang.py").read_text(encoding="utf-8")
    wrong = right.replace("all(0 <= coordinaat < ", "all(coordinaat < ")
    assert wrong != right
    hidden_suites.compare(suite, [{"yinyang": source} for source in (right, wrong)], zygote)
    printed = capsys.readouterr().out
    assert "1 wrong solutions fail hidden cases" in printed
    assert "1 of them see" in printed
