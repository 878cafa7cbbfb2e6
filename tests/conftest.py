"""What all tests share: where things are, one zygote and one installation for those who need it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
import selection
from command_line import SUITE

from grader.sandbox.zygote import Zygote
from grader.suite.cache import OFF_VARIABLE

collect_ignore = ["hostile"]
"""They are attacks, and one of them is a `conftest.py`."""
MEASURED: Final = "COVERAGE_PROCESS_CONFIG"
"""Where processes find how they are to be measured, where they are."""
FOLLOWED: Final = ["subprocess", "fork", "_exit"]
"""Copies of a process are measured as well, and write their data before they end."""
OF_DEV: Final = ("hypothesis", "jsonschema", "numpy")
"""What some modules are about from their first line on."""
ROOT = Path(__file__).resolve().parents[1]

with suppress(ImportError):  # who runs a single test need not have it
    from hypothesis import HealthCheck, settings

    settings.register_profile("gate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("gate")  # a busy machine is no failure


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line say how much is run."""
    selection.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Know from the beginning how much is run."""
    config.stash[selection.SELECTION] = selection.Selection.of(config)
    os.environ[OFF_VARIABLE] = "tests are about what is read, and leave nothing behind"
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started with & in a script
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header(config: pytest.Config) -> str:
    """Say how much is run, so that it can be run again."""
    return f"gate: {config.stash[selection.SELECTION]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not to be run; begin with what takes longest."""
    selection.leave_out(config, items)
    selection.sort(items)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip modules that need more of the `dev` extra than is installed, with a word."""
    report = yield
    lacking = re.search(rf"No module named '({'|'.join(OF_DEV)})'", str(report.longrepr))
    if report.failed and lacking:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 1, f"Skipped: {lacking[1]} is not installed")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Have coverage follow an instructor's own tests into the copies of their process.

    Only these: each copy of a worker would cost twice the time of what it does.
    """
    with pytest.MonkeyPatch.context() as patch:
        if (measured := os.environ.get(MEASURED)) and item.get_closest_marker("own_tests"):
            from coverage.config import CoverageConfig  # noqa: PLC0415 - it is at work then

            config = CoverageConfig.deserialize(measured)
            config.set_option("run:patch", FOLLOWED)
            patch.setenv(MEASURED, config.serialize())
        return (yield)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """A running zygote for all tests of this process; a test that breaks one makes its own."""
    if sys.platform != "linux":
        pytest.skip("a zygote needs Linux")
    with Zygote() as running:
        yield running


@pytest.fixture(scope="session")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An interpreter with the project installed that any user may run.

    Files that such a judge is to read must lie where that user may read them, too: the repository
    and `tmp_path` need not.
    """
    installations = pytest.importorskip("installations")
    if not installations.can_install():
        pytest.skip(f"{installations.SYSTEM_PYTHON} is no Python >= 3.11 that can make a venv")
    own_folder = tmp_path_factory.getbasetemp()
    run_folder = own_folder.parent if "PYTEST_XDIST_WORKER" in os.environ else own_folder
    with installations.installation(root, run_folder) as python:
        yield python


@pytest.fixture
def here(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The current folder, with suites of `double` and `Cell` beside it, and a state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.delitem(sys.modules, "mine", raising=False)  # an engine of another test
    suites = tmp_path / "testsuites"
    suites.mkdir()
    (suites / "double.yaml").write_text(
        SUITE.format(name="double", defines="double", call="double(2)")
    )
    (suites / "cells.yaml").write_text(
        SUITE.format(name="cells", defines="Cell, neighbours", call="neighbours(Cell())")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    return tmp_path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 512 KiB; needs the right to mount."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)
