"""Names of files in the texts of tests: what a submission may be asked to open."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.plugins.own_tests.proxying.evaluating import path_parts_in_strings


@pytest.mark.parametrize(
    "broken", ["def f(:\n", "x = " + "(" * 5_000, "x = '\0'\n"], ids=["syntax", "deep", "null"]
)
def test_file_that_is_no_python_hides_no_other(tmp_path: Path, broken: str) -> None:
    """A course may have one beside its tests, as an example of what does not compile."""
    bad, good = tmp_path / "bad.py", tmp_path / "test_good.py"
    bad.write_text(broken)
    good.write_text("def test():\n    open('data/in.txt')\n")
    assert {"data", "in.txt"} <= path_parts_in_strings([bad, good])
    assert path_parts_in_strings([tmp_path / "missing.py"]) == frozenset()
