"""`grader pytest TESTS --submission=...` as a command, and what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

GRADER: Final = "from grader.cli.verbs import main; main()"


def make_folders(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make `place` the current folder, with one for a submission and one for tests."""
    (place / "handed").mkdir()
    (place / "tests").mkdir()
    monkeypatch.chdir(place)
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return place


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the verb."""
    command = [sys.executable, "-P", "-c", GRADER, "pytest", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def summary(*arguments: str) -> dict[str, Any]:
    """Return what `--json` says of the one submission."""
    done = run(*arguments, "--json")
    (entry,) = json.loads(done.stdout)["submissions"]
    found: dict[str, Any] = entry
    return found


def verdicts(entry: dict[str, Any]) -> dict[str, str]:
    """Return the verdict on each test."""
    return {case["id"].rpartition("::")[2]: case["verdict"] for case in entry["cases"]}
