"""The page for who begins: followed to the letter, it ends with a graded class."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from documentation import BLOCKS, ROOT

PAGE = ROOT / "docs/how-to/first-course.md"
PREPARES = ("python3 -m venv ", "pip install ")
"""What is there already, when a test runs."""


@pytest.mark.commands
def test_the_page_leads_to_a_graded_class(tmp_path: Path) -> None:
    """Commands and files in their order; the reference has all points, the mistake has not."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    environment.pop("GRADER_SUITES", None)
    here = tmp_path
    for block in (block for block in BLOCKS if block.page == PAGE):
        if block.file:
            (here / block.file).parent.mkdir(exist_ok=True)
            (here / block.file).write_text(block.text, encoding="utf-8")
            continue
        for line in block.text.splitlines():
            if line.startswith("cd "):
                here /= line.removeprefix("cd ")
            elif not line.startswith(PREPARES):
                done = subprocess.run(
                    ["/bin/sh", "-c", line],
                    cwd=here,
                    env=environment,
                    capture_output=True,
                    check=False,
                )
                assert 0 == done.returncode, f"{line}\n{done.stderr.decode()}"
    assert {"half_hour_is_not_free": 4.0} == points(here / "tried")
    assert {"me": 5.0} == points(here / "reports")


def points(run: Path) -> dict[str, float]:
    """Return the score of each student of a run."""
    found = json.loads((run / "results.json").read_text(encoding="utf-8"))
    return {each["student"]: each["score"] for each in found["submissions"]}
