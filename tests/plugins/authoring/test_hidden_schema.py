"""The schema of hidden suites, and what it says of each part of them."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import jsonschema
import pytest
import yaml
from test_loading_hidden import HIDDEN
from test_loading_siblings import HIDDEN as SIBLINGS

from grader.plugins.authoring.schema import hidden_schema, schema_text

PUBLISHED: Final = Path(__file__).parents[3] / "docs" / "hidden.schema.json"


def test_schema_is_published() -> None:
    """The schema in docs/ is the one that the loader follows."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))

    assert json.loads(schema_text(hidden_schema())) == published, "run: grader schema --out docs"


def test_schema_explains_every_key() -> None:
    """Each key has a description and an example that is valid."""
    schema: dict[str, Any] = hidden_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for form in (schema, *schema["$defs"].values()):
        for facts in form["properties"].values():
            assert facts["description"]
            (example, *_) = facts["examples"]
            key = {**facts, "$defs": schema["$defs"]}
            assert jsonschema.Draft202012Validator(key).is_valid(example)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("exercise: box", "exercise: box", None),
        ("visibility: staff", "visibility: public", "sessions/3/visibility"),
        ("mutant: 3f2a91c0", "mutant: x", "equivalent/0/mutant"),
        ("share: 0.75", "share: 7", "share"),
        ("visibility: staff", "visiblity: staff", "sessions/3"),
    ],
)
def test_schema_says_what_the_loader_says(old: str, new: str, place: str | None) -> None:
    """What loads is valid to an editor, and what an editor can see to be wrong it marks."""
    validator = jsonschema.Draft202012Validator(hidden_schema())
    errors = validator.iter_errors(yaml.safe_load(HIDDEN.replace(old, new)))

    found = ["/".join(map(str, error.absolute_path)) for error in errors]
    assert ([] if place is None else [place]) == found


@pytest.mark.parametrize(
    ("clause", "is_valid"),
    [("quote: a", True), ("reading: a", True), ("quote: a, reading: b", False), ("", False)],
)
def test_schema_asks_for_one_of_both(clause: str, is_valid: bool) -> None:
    """An editor marks a clause that has neither a quote nor a reading, or both."""
    text = dedent(f"""\
        exercise: box
        clauses: [{{id: a, {clause}}}]
        sessions: [{{id: s, steps: [{{do: f(), group: g, clause: a}}]}}]
        """)
    validator = jsonschema.Draft202012Validator(hidden_schema())
    assert is_valid == validator.is_valid(yaml.safe_load(text))


def test_schema_knows_siblings() -> None:
    """What loads is valid to an editor; a sibling without steps is not."""
    validator = jsonschema.Draft202012Validator(hidden_schema())

    assert [] == list(validator.iter_errors(yaml.safe_load(SIBLINGS)))
    (error,) = validator.iter_errors(yaml.safe_load(f"{SIBLINGS}- id: s3\n"))
    assert ["siblings", 2] == list(error.absolute_path)
