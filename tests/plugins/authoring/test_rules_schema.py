"""What editors and the documentation know of rules is what the loader knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from suites_with_rules import GOOD

from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import suite_schema
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.rules import rules_form
from grader.suite.vocabulary import FORBIDDABLE, LOOPS


def test_schema_knows_every_kind() -> None:
    """Each kind of rule is a key of `rules`, with a form of its own."""
    assert [each.rpartition(":")[2].lower() for each in KINDS] == list(rules_form(KINDS).form_keys)


def test_schema_accepts_what_the_loader_accepts() -> None:
    """Rules that load are valid to an editor."""
    validator = jsonschema.Draft202012Validator(suite_schema(KINDS))

    assert [] == list(validator.iter_errors(yaml.safe_load(GOOD)))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("forbid: [match]", "forbid: [a.!]", "rules/constructs/2/forbid/0"),
        ("forbid: [for, comprehension]", "forbid: [lambda]", "rules/loops/0/forbid/0"),
        ("cap: 0", "cap: 0\n      points: 1", "rules/recursion/0"),
        ("      memory: constant\n", "", "rules/cost/0"),
        ("memory: constant", "memory: constant\n      time: linear", "rules/cost/0"),
        ("sizes: [16, 2048]", "sizes: [16]", "rules/cost/1/sizes"),
        ('version: "3.6"', 'version: "2.7"', "rules/python/0/version"),
        ("depth: linear", "depth: quadratic", "rules/recursion/0/depth"),
        ("spec_url: https:", "spec_url: ftp:", "spec_url"),
        ("Position.left(dimension, position)", "Position.left", "rules/signature/0/headings/0"),
    ],
)
def test_schema_rejects_what_the_loader_rejects(old: str, new: str, place: str) -> None:
    """What an editor can see to be wrong with a rule, it marks at the place."""
    assert 1 == GOOD.count(old)
    text = GOOD.replace(old, new)
    errors = jsonschema.Draft202012Validator(suite_schema(KINDS)).iter_errors(yaml.safe_load(text))

    assert [place] == ["/".join(map(str, error.absolute_path)) for error in errors]
    with pytest.raises(InvalidSuite):
        parse_suite(text.encode(), "s.yaml", KINDS)


def test_words_are_those_of_the_program() -> None:
    """Loops and constructs are the ones that the rest of the program knows."""
    schema: Any = suite_schema(KINDS)
    forms = schema["$defs"]
    assert [*LOOPS] == forms["LoopsForm"]["properties"]["forbid"]["items"]["enum"]
    either = forms["ConstructsForm"]["properties"]["forbid"]["items"]["anyOf"]
    assert [*FORBIDDABLE] == either[0]["enum"]


def test_page_lists_the_constructs(root: Path) -> None:
    """The reference page names each construct that can be forbidden, and no other."""
    page = (root / "docs/reference/suite.md").read_text(encoding="utf-8")
    listed = page.split("<!-- constructs -->")[1].split("<!-- /constructs -->")[0]

    assert [*FORBIDDABLE] == re.findall(r"`([^`]+)`", listed)
