"""What all tests share: where things are, and one zygote for those that need a real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox.zygote import Zygote

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """A running zygote for all tests of this process; a test that breaks one makes its own."""
    with Zygote() as running:
        yield running
