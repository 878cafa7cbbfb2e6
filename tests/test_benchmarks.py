"""The benchmarks go on working; what they measure is not for tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from isolation_cost import without_walls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")


def test_zygote_without_walls_has_none() -> None:
    """The cost of the walls is measured against a zygote that really has none."""
    with without_walls() as bare:
        assert 0 == bare.isolation.level
        assert not any(state for _, state in bare.isolation.layers)
