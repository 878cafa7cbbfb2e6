"""`pytest SUITE.yaml --submission FILE`: the way in; `grader.cli.pytest_items` has the rest.

pytest loads this module in every run of everybody who has the grader installed, so it imports
nothing until there is a suite to collect.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--submission`."""
    group = parser.getgroup("grader", "grading a submission")
    group.addoption(
        "--submission",
        type=Path,
        metavar="FILE|FOLDER",
        help="grade this submission on the suites (YAML files) that are named",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to go on under a configuration that came with the submission.

    In `--submission FOLDER` pytest takes the second word for a path of its own tests, before it
    knows of our option, and looks for a configuration there. `--submission=FOLDER` is one word.
    """
    submission = config.getoption("--submission")
    if submission is None or config.inipath is None:
        return
    from grader.values.display import one_line  # noqa: PLC0415 - every pytest run loads this module

    folder = submission.resolve()
    folder = folder if folder.is_dir() else folder.parent
    if config.inipath.resolve().is_relative_to(folder) and folder != Path.cwd():
        raise pytest.UsageError(
            f"pytest obeys {one_line(str(config.inipath))}, which lies with the submission;"
            " write --submission=PATH, in one word"
        )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite that is named on the command line, when there is a submission to grade."""
    is_suite = file_path.suffix in {".yaml", ".yml"} and parent.session.isinitpath(file_path)
    if not is_suite or parent.config.getoption("--submission") is None:
        return None
    from grader.cli.pytest_items import SuiteFile  # noqa: PLC0415 - see the docstring above

    return SuiteFile.from_parent(parent, path=file_path)
