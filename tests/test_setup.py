"""What `scripts/setup` does in a checkout that is installed already."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def test_modules_are_compiled(root: Path, tmp_path: Path) -> None:
    """Zygotes find byte code, though nobody writes any; a file that does not compile is no harm."""
    for folder in ("scripts", "grader", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(root / "scripts/setup", tmp_path / "scripts")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".venv/.installed-user").touch()
    python = tmp_path / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "grader/whole.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "grader/half.py").write_text("x = \n", encoding="utf-8")
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [tmp_path / "scripts/setup"], env=environment, capture_output=True, check=True
    )
    assert (b"", b"") == (done.stdout, done.stderr)
    compiled = [path.name for path in tmp_path.glob("grader/__pycache__/*.pyc")]
    assert [f"whole.{sys.implementation.cache_tag}.pyc"] == compiled
