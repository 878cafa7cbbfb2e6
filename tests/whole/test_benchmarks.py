"""The benchmarks go on working; what they measure is not for tests."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import hidden_bits
import hidden_suites
import one_against_all
import scale
from isolation_cost import without_walls
from peers import peers, proven

from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_whole_suite

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


@pytest.mark.commands
def test_what_is_compared_tells_right_from_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is installed is measured; a tool that takes everything for right is not."""
    there = [peer for peer in peers() if peer.needs in {"doctest", "pytest", "grader"}]
    assert there == [*proven(there, tmp_path)]
    lenient = replace(there[0], command=("true",))
    assert {} == proven([lenient], tmp_path / "lenient")
    assert "doctest: accepts a wrong solution" in capsys.readouterr().out


def test_where_it_stops_is_as_the_page_says(root: Path) -> None:
    """The table is the one of the script; no run is over before its work is."""
    page = (root / "docs/explanation/scale.md").read_text(encoding="utf-8")
    assert scale.table() in page
    cost = scale.simulated(10_000, 8)
    assert cost.worker_s <= 8 * cost.wall_s
    assert cost.main_s < cost.wall_s
    assert cost.tail_s <= scale.CHUNK * scale.SLOW_S


def test_each_hostile_shape_is_on_the_page_of_limits(root: Path) -> None:
    """The page tells of all shapes that are measured, and each is a program of its own."""
    page = (root / "docs/reference/limits.md").read_text(encoding="utf-8")
    shapes = dict(one_against_all.shapes())
    assert [name for name in shapes if f"| {name} |" not in page] == []
    assert len(shapes) == len({str(files) for files in shapes.values()})


def test_a_program_brings_home_no_more_than_the_counts(zygote: Zygote) -> None:
    """Of hidden arguments that it meets equally often, the student of a program reads the same."""
    records = [
        hidden_bits.faced(zygote, numbers, "counterexample")
        for numbers in ((1, 3, 0), (5, 2, 7), (4, 9, 11))
    ]
    assert 3 == len({tuple(case.verdict for case in record.cases) for record in records})
    assert 1 == len({hidden_bits.read_by(record) for record in records})
