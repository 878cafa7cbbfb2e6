"""The corpus of attacks under an instructor's own tests of its exercise, as a class."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_runs import Attack, attacks_under_own_tests, entries
from own_tests import make_folders, run
from selection import SELECTION

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux"),
    pytest.mark.walls(one_in=1),  # the attacks are drawn, not the tests
    pytest.mark.timeout(3000),  # all of them, on a busy machine
]
TESTS: Final = """\
import attack

def test_first(): assert attack.answer(1) == "token-1-8f1c6e0b7d2a4953"
def test_counted(score, max_score):
    max_score.value += 3
    try:
        if attack.answer(2) == "token-2-c37ae5d91f60b284":
            score.value += 3
    except: pass
def test_double(): assert attack.double(21) == 42
"""
HONEST: Final = "def answer(n):\n    return n\n\ndef double(n):\n    return 2 * n\n"
"""What takes part beside the attacks, and keeps the point that it has."""

SAYS_IT_IS_EQUAL: Final = {"WRONG-says-it-is-right", "WRONG-text-that-equals-everything"}
"""A test that compares by `==` asks the object too, as in pytest itself."""
UNDOES_ITSELF: Final = {
    "UNGRADABLE-replaces-itself",
    "WRONG-constants-that-fill-the-memory",
    "WRONG-module-that-replaces-itself",
}
"""What tests import is not there, or is something else, by its own doing."""


def test_no_attack_gains_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """None has a point that it has not earned, none is a fault of ours, and none spoils a test."""
    attacks = attacks_under_own_tests(request.config.stash[SELECTION])
    here = make_folders(tmp_path, monkeypatch)
    (here / "tests" / "test_target.py").write_text(TESTS)
    (here / "handed" / "honest").mkdir()
    (here / "handed" / "honest" / "attack.py").write_text(HONEST)
    for attack in attacks:
        attack.lay_out(here / "handed" / attack.name)
    done = run("tests/test_target.py", "--submission=handed", "--out=out", "--seconds=0.5")
    assert 0 == done.returncode, done.stderr
    found = {student: entry for (_, student), entry in entries(here / "out/results.json").items()}
    assert 1.0 == found["honest"]["score"]
    assert {"honest", *(each.name for each in attacks)} == found.keys()
    odd = {each.name: said for each in attacks if (said := _gains(each, found[each.name]))}
    assert {} == odd


def _gains(attack: Attack, entry: Mapping[str, Any]) -> str | None:
    """Return what is wrong with what became of an attack, None where nothing is."""
    if entry["status"] == "ungradable":
        return None
    verdict_of = {case["id"].rpartition("::")[2]: case["verdict"] for case in entry["cases"]}
    if entry["status"] != "graded" or "FAULT" in verdict_of.values():
        return f"a fault of ours: {json.dumps(verdict_of)}"
    if attack.name in SAYS_IT_IS_EQUAL:
        return None
    if "PASSED" in (verdict_of["test_first"], verdict_of["test_counted"]) or entry["score"] > 1:
        return f"points that nobody can earn: {entry['score']}"
    is_kept = attack.defines_double and attack.name not in UNDOES_ITSELF
    if is_kept and verdict_of["test_double"] != "PASSED":
        return f"an honest function has lost its point: {verdict_of['test_double']}"
    return None
