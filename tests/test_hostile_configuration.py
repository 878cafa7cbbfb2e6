"""Files that Python, pytest, ruff, mypy, git and pip look for run nothing, wherever they lie."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
MODULES: Final = (
    *("conftest", "sitecustomize", "usercustomize", "setup", "noxfile", "plugin", "test_it"),
    *(
        "__init__",
        "__main__",
        "json",
        "yaml",
        "re",
        "click",
        "pydantic",
        "jinja2",
        "grader",
        "ruff",
    ),
)
SETTINGS: Final = {
    "pytest.ini": "[pytest]\naddopts = -p plugin --debug={witnesses}/debug\n",
    "tox.ini": "[pytest]\naddopts = -p plugin\n",
    "setup.cfg": "[tool:pytest]\naddopts = -p plugin\n[mypy]\nplugins = plugin.py\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p plugin'\n"
    "[build-system]\nrequires = []\nbuild-backend = 'plugin'\nbackend-path = ['.']\n"
    "[tool.ruff]\ncache-dir = '{witnesses}/ruff'\n",
    "ruff.toml": "cache-dir = '{witnesses}/ruff'\n",
    "mypy.ini": "[mypy]\nplugins = plugin.py\n",
    ".coveragerc": "[run]\nplugins = plugin\n",
    "evil.pth": "import os; open('{witnesses}/pth', 'w')\n",
    "pyvenv.cfg": "home = .\n",
    ".git/config": "[core]\nfsmonitor = ./git\nhooksPath = .\npager = ./git\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}
PROGRAMS: Final = ("git", "ruff", "pytest", "python", "python3.99", "post-checkout", "pre-commit")


def hostile_folder(folder: Path, witnesses: Path) -> None:
    """Write a right solution into `folder`, among files that leave a witness when they are run."""
    (folder / ".git").mkdir(parents=True)
    for name in MODULES:
        said = f"import os\ntry: open({str(witnesses / name)!r}, 'w')\nexcept OSError: pass\n"
        (folder / f"{name}.py").write_text(said)
    for name, text in SETTINGS.items():
        (folder / name).write_text(text.replace("{witnesses}", str(witnesses)))
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\ntouch {witnesses}/{name}\n")
        (folder / name).chmod(0o755)
    right = (ROOT / "reference/yinyang/yinyang.py").read_text(encoding="utf-8")
    (folder / "yinyang.py").write_text(right, encoding="utf-8")


def try_inside(tmp_path: Path, *commands: Sequence[str]) -> None:
    """Run commands of the grader inside of a hand-in, and look for a witness after each."""
    witnesses, own = tmp_path / "witnesses", tmp_path / "class" / "an"
    witnesses.mkdir()
    hostile_folder(own, witnesses)
    grader = Path(sys.executable).with_name("grader")
    for command in commands:
        done = subprocess.run(
            [grader, *command], cwd=own, capture_output=True, text=True, check=False
        )
        assert 0 == done.returncode, (command, done.stdout, done.stderr)
        assert [] == os.listdir(witnesses), command
    subprocess.run([sys.executable, "-m", "conftest"], cwd=own, check=True)
    assert ["conftest"] == sorted(set(os.listdir(witnesses)) & {"conftest"}), "they do leave one"


@pytest.mark.commands
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere submissions may do what users may")
def test_nothing_of_a_hand_in_runs_outside_an_executor(tmp_path: Path) -> None:
    """Each verb that reads hand-ins is given one from inside it, and leaves no witness."""
    suite = ("--exercise", "yinyang", "--suites", str(ROOT / "testsuites"))
    try_inside(
        tmp_path,
        ("plan", "..", *suite),
        ("check", ".", *suite),
        ("grade", "..", *suite, "--public", "--out", str(tmp_path / "out"), "--jobs", "1"),
        ("report", str(tmp_path / "out")),
    )
