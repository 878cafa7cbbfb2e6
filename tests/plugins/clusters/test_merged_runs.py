"""What a run of shards, or one by an engine of one's own, has in common with any other."""

from __future__ import annotations

from pathlib import Path

import pytest
import test_regrading
from command_line import RIGHT, grader, write
from test_marking import HALF, SUITE, WHY, mark, page, scores

pytestmark = pytest.mark.usefixtures("here")

THREADS = """\
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
def pool():
    Path("used").touch()
    return ThreadPoolExecutor(1)
"""


def test_an_engine_of_ones_own_regrades(capfd: pytest.CaptureFixture[str]) -> None:
    """It is the one of `grade`, and what it cannot be is refused as there."""
    write("testsuites/double.yaml", test_regrading.SUITE_OF_TWO)
    write("new/double.yaml", test_regrading.MENDED)
    write("double/an.py", RIGHT)
    write("double/bo.py", HALF)
    write("mine.py", THREADS)
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    arguments = ("regrade", "run", "--suite", "new/double.yaml", "--engine")
    done = grader(capfd, *arguments, "mine:pool")
    assert 0 == done.code, done.err
    assert "2 of 2 marks change\n" in done.out
    assert Path("used").exists()
    assert "unknown engine: far" in grader(capfd, *arguments, "far").err


def test_decision_on_a_shard_comes_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    """Merging takes it over, once, also one that was made after a first merge."""
    write("testsuites/double.yaml", SUITE)
    write("double/an.py", RIGHT)
    write("double/bo.py", HALF)
    for number in (1, 2):
        assert 0 == grader(capfd, "grade", "double", "--shard", f"{number}/2").code
    shards = ("reports/shard-1-of-2", "reports/shard-2-of-2")
    assert 0 == grader(capfd, "merge", "whole", *shards).code
    arguments = ("bo", "--case", "g/2", "--points", "1", *WHY)
    assert 0 == mark(capfd, *arguments, run=shards[1]).code
    assert [] == list(Path(shards[1]).rglob("*.html"))
    for _ in range(2):
        assert 0 == grader(capfd, "merge", "whole", *shards).code
        assert {"an": 2.0, "bo": 2.0} == scores("whole")
        assert "We have talked." in page("whole")
        assert 1 == len(mark(capfd, "--list", run="whole").out.splitlines())
