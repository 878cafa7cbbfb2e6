"""What an attack knows of hidden cases does not reach JUnit XML."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_runs import TATTLERS
from test_hostile_reports import checked, hidden_in


@pytest.mark.walls
@pytest.mark.parametrize("name", TATTLERS)
def test_nothing_hidden_is_told_to_who_checks(name: str, tmp_path: Path) -> None:
    """`grader check --junit` tells nothing hidden, whatever the attack says of it."""
    junit = tmp_path / "junit.xml"
    assert [] == list(hidden_in(checked(name, "--junit", str(junit))))
    assert [] == list(hidden_in(junit.read_text(encoding="utf-8")))
