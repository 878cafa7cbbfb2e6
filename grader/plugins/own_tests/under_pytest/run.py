"""Runs pytest, which finds no file that it would obey by itself."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.watched import CAN_WATCH, Bounds, go_on_as_copy
from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE
from grader.plugins.own_tests.under_pytest.submission import name_for_pytest

_NO_SETTINGS: Final = "[pytest]\n"
_COLLECTING: Final = Bounds(cpu_s=60, wall_s=math.inf, memory_bytes=2 << 30)
"""What it may take until the tests are collected, which may meet values of the submission."""
_NOT_OBEYED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER")


def run_suites(arguments: Sequence[str], submission: Path) -> int:
    """Return the exit code of pytest, which holds suites against a submission."""
    os.environ[SUBMISSION_VARIABLE] = str(submission.absolute())
    alone = ("--noconftest", "--import-mode=importlib", "--assert=plain")
    return _run([*alone, *arguments], None, ())


def run_own_tests(own: OwnSettings, submission: Path, plugins: Sequence[object] = ()) -> int:
    """Return the exit code of pytest, which tries `own` tests on what lies at `submission`.

    They have what lies beside them.
    """
    import grader.plugins.own_tests.under_pytest.plugin  # noqa: F401, PLC0415 - what is loaded, pytest does not rewrite

    ended = go_on_as_copy(_COLLECTING) if CAN_WATCH else None
    if ended is not None:
        own = replace(own, unfit=str(ended))
    name_for_pytest(own, submission)
    ours = (
        "--code-highlight=no",  # colours of ours are no text, and stay
        "-Wignore:Module already imported so cannot be rewritten",
        *("-p", "grader.plugins.own_tests.under_pytest.plugin"),
    )
    return _run([*ours, *own.arguments], own.configuration, plugins)


def _run(arguments: Sequence[str], configuration: str | None, plugins: Sequence[object]) -> int:
    for variable in _NOT_OBEYED:
        os.environ.pop(variable, None)
    os.environ["PYTHONSAFEPATH"] = "1"  # workers of xdist would import what lies in this folder
    import pytest  # noqa: PLC0415 - it takes long

    gc.freeze()  # pytest has all rubbish collected at its end, and there is none in what is loaded
    with TemporaryDirectory() as folder:
        none = Path(folder) / "pytest.ini"
        none.write_text(_NO_SETTINGS, encoding="utf-8")
        file = configuration or str(none)
        ours = ["-c", file, f"--rootdir={Path.cwd()}", "-p", "no:cacheprovider"]
        return int(pytest.main([*ours, *arguments], plugins))
