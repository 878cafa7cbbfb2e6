"""By what a reference is known: a hash of what counts of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import HEAD
from test_hidden_suites import PUBLIC

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import reference_sha256
from grader.suite.loading import parse_suite


def test_reference_is_known_by_its_hash(tmp_path: Path) -> None:
    """Text, names and given code count; line ends and other files do not."""
    suite = parse_suite((HEAD + PUBLIC).encode(), "sample.yaml", KINDS)
    (tmp_path / "sample.py").write_bytes(b"x = 1\ny = 2\n")
    first = reference_sha256(tmp_path, suite)
    (tmp_path / "other.py").write_bytes(b"x = 1\ny = 2\n")
    (tmp_path / "sample.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    assert first == reference_sha256(tmp_path, suite)
    with_code = [suite.with_changes(given={"helper": f"x = {number}\n"}) for number in (1, 2)]
    assert 3 == len({first, *(reference_sha256(tmp_path, each) for each in with_code)})
    assert first != reference_sha256(tmp_path, suite.with_changes(modules=("other",)))
    (tmp_path / "sample.py").write_bytes(b"x = 1\ny = 3\n")
    assert first != reference_sha256(tmp_path, suite)


def test_reference_of_several_modules_needs_each(tmp_path: Path) -> None:
    """A module that is not there is an error in words."""
    suite = parse_suite((HEAD + PUBLIC).encode(), "sample.yaml", KINDS)
    suite = suite.with_changes(modules=("one", "two"))
    (tmp_path / "one.py").touch()
    with pytest.raises(SuiteError, match=r"cannot read the reference .*two\.py: no such file"):
        reference_sha256(tmp_path, suite)
