"""What an attack knows of hidden cases does not reach a result that its student may read."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import process
from hostile_runs import CORPUS, TATTLERS
from test_hostile_reports import hidden_in

from grader.seams import RESULTS


@pytest.mark.walls
@pytest.mark.parametrize("name", TATTLERS)
def test_nothing_hidden_is_told_to_who_hands_in(name: str, tmp_path: Path) -> None:
    """Whatever the attack says of it, and in each format."""
    formats = [each for each in RESULTS.table if each != "classroom50"]  # it needs a runner
    options = [word for each in formats for word in ("--results", f"{each}={tmp_path / each}")]
    target = ("--exercise", str(CORPUS / "target.yaml"))
    done = process("check", str(CORPUS / name), *target, *options)
    assert (0, "") == (done.code, done.err)
    assert [] == list(hidden_in(done.out))
    for each in formats:
        assert [] == list(hidden_in((tmp_path / each).read_text(encoding="utf-8")))
