"""Files that a session needs."""

from __future__ import annotations

import pytest

from grader.judging.rules import KINDS
from grader.suite.loading import InvalidSuite, parse_suite

SUITE = """\
exercise: sample
title: Sample
language: en
module: sample
defines: []
groups: [{id: read, points: 1}]
sessions:
- id: example
  steps:
  - {do: "DO", EXPECTS, group: read}
"""


def problems(do: str, expects: str) -> list[str]:
    """Return what is wrong with a suite of one step."""
    text = SUITE.replace("DO", do).replace("EXPECTS", expects)
    try:
        parse_suite(text.encode(), "sample.yaml", KINDS)
    except InvalidSuite as invalid:
        return [diagnostic.message for diagnostic in invalid.diagnostics]
    return []


@pytest.mark.parametrize(
    "do", ["read('a.txt')", "Board(3, name='a.txt').size()", "print(read('a.txt'))"]
)
def test_a_file_that_is_not_provided_is_a_mistake(do: str) -> None:
    """A step that hands over the name of a file needs its text in the suite."""
    assert ["the file 'a.txt' is not among `files`"] == problems(do, "returns: '1'")


@pytest.mark.parametrize("exception", ["FileNotFoundError", "OSError"])
def test_a_file_that_must_be_missing_needs_no_text(exception: str) -> None:
    """A step that must complain about a missing file is right without that file."""
    assert [] == problems("read('a.txt')", f"raises: {exception}")


def test_text_that_names_no_file_is_left_alone() -> None:
    """Text with a dot is not a file name for that alone, nor is text outside of a call."""
    assert [] == problems("split('a. txt')", "returns: '1'")
    assert [] == problems("'a.txt' + tail()", "returns: '1'")


def test_a_file_that_a_step_writes_is_provided() -> None:
    """Who opens it to write it needs neither its text nor to say so; to read it is not enough."""
    written = SUITE.replace(
        '- {do: "DO", EXPECTS, group: read}',
        "- {do: \"open('a.txt', 'w').write('1')\"}\n"
        "  - {do: \"read('a.txt')\", returns: '1', group: read}",
    )
    parse_suite(written.encode(), "sample.yaml", KINDS)
    with pytest.raises(InvalidSuite, match="is not among"):
        parse_suite(written.replace("'w').write", "'r').read").encode(), "sample.yaml", KINDS)
