"""The site of the documentation: the pages as they stand on GitHub, read by Sphinx."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]


@pytest.mark.installs(one_in=None)
def test_all_pages_are_read_without_a_warning(tmp_path: Path) -> None:
    """Each is in the contents, and each link leads to a page and a heading that are there."""
    options = ("--quiet", "--fail-on-warning", "--keep-going", "--tag", "reports")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "--builder", "dummy", "docs", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
