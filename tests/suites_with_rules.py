"""Suites with rules as authors write them, and what is said about their mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from grader.judging.rules import KINDS
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.model import Suite

FOLDER: Final = Path(__file__).parent / "loading"
GOOD: Final = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
HEAD: Final = """\
exercise: x
title: X
language: en
module: x
defines: [f, Puzzle]
helpers: [h]
groups: [{id: f, points: 2}, {id: g, points: 1}]
sessions: [{id: s, steps: [{do: f(), group: f}, {do: f(), group: g}]}]
"""


def loaded(rules: object, *, head: str = HEAD) -> Suite:
    """Return the suite with these rules, as an author of a small exercise writes them."""
    text = head + yaml.safe_dump({"rules": rules}, sort_keys=False)
    return parse_suite(text.encode(), "s.yaml", KINDS)


def problems(rules: object, *, head: str = HEAD) -> list[str]:
    """Return what is said about these rules; all of it tells a way out."""
    with pytest.raises(InvalidSuite) as caught:
        loaded(rules, head=head)
    assert all(one.help for one in caught.value.diagnostics)
    return [one.message for one in caught.value.diagnostics]
