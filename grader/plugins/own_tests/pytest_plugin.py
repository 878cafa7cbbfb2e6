"""The pytest plug-in behind `grader pytest`, for suites.

pytest loads this module in every run wherever the grader is installed, so it imports nothing until
there is a suite to collect. The submission is named in the environment: pytest takes a positional
argument for a test path before it loads any plug-in, and obeys configuration files found there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

SUBMISSION_VARIABLE: Final = "GRADER_SUBMISSION"
"""The environment variable with the path of the submission. Child processes inherit it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Accept `--submission`, so that `pytest_configure` can explain what to type instead."""
    parser.addoption("--submission", help="see `grader pytest --help`")


def pytest_configure(config: pytest.Config) -> None:
    """Raise a usage error for `--submission`, which only `grader pytest` supports."""
    if config.getoption("--submission") is not None:
        raise pytest.UsageError(
            "--submission is refused, because pytest may obey configuration files of the"
            " submission; type `grader pytest` instead of `pytest`"
        )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect `file_path` if it is a suite named on the command line.

    Returns None for any other file, and if there is no submission to grade.
    """
    is_suite = file_path.suffix in {".yaml", ".yml"} and parent.session.isinitpath(file_path)
    if not is_suite or SUBMISSION_VARIABLE not in os.environ:
        return None
    from grader.plugins.own_tests.under_pytest.items import SuiteFile  # noqa: PLC0415 - see the docstring above

    return SuiteFile.from_parent(parent, path=file_path)
