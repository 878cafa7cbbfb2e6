"""The JSON Schema that editors check suites against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import jsonschema
import pytest
import yaml
from test_loading_modules import GOOD as SEVERAL_MODULES

from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import schema_text, suite_schema
from grader.reporting.wording import LANGUAGES
from grader.suite.model import LanguageCode
from grader.verdict import Visibility

TESTS: Final = Path(__file__).parents[2]
PUBLISHED: Final = TESTS.parent / "docs" / "suite.schema.json"
GOOD: Final = (TESTS / "loading/good.yaml").read_text(encoding="utf-8")
VALIDATOR: Final = jsonschema.Draft202012Validator(suite_schema(KINDS))


def complaints(text: str) -> list[str]:
    """Return where in a suite the schema finds something wrong."""
    errors = VALIDATOR.iter_errors(yaml.safe_load(text))
    return sorted("/".join(map(str, error.absolute_path)) for error in errors)


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every key that a schema describes, with what it says about it."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for value in schema.values():
            yield from properties(value)


def test_published() -> None:
    """The schema in docs/ is the one that the loader follows."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))

    assert json.loads(schema_text(suite_schema(KINDS))) == published, (
        "run: grader schema --out docs"
    )


def test_is_a_schema() -> None:
    """The schema is a valid one of its dialect, and says which."""
    schema = json.loads(schema_text(suite_schema(KINDS)))

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert "grader suite" == schema["title"]
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_key_is_explained() -> None:
    """Each key has a description and an example, as editors show them."""
    keys = dict(properties(suite_schema(KINDS)))

    assert 30 < len(keys)
    assert [] == [key for key, facts in keys.items() if not facts.get("description")]
    assert [] == [key for key, facts in keys.items() if not facts.get("examples")]


def test_every_example_is_valid() -> None:
    """An example can be copied as it stands."""
    schema = suite_schema(KINDS)
    wrong = [
        (key, example)
        for key, facts in properties(schema)
        for example in facts["examples"]
        if not jsonschema.Draft202012Validator({**facts, "$defs": schema["$defs"]}).is_valid(
            example
        )
    ]

    assert [] == wrong


def test_accepts_what_the_loader_accepts() -> None:
    """A suite that loads is valid to an editor."""
    assert [] == complaints(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("    stdout: |", "    stdot: |", "sessions/0/steps/2"),
        ("title: Yin-Yang", "title: no", "title"),
        ("title: Yin-Yang", "title:", "title"),
        ('returns: "False"', "returns: False", "sessions/0/steps/4/returns"),
        ("exercise: yinyang", "exercise: Yin Yang", "exercise"),
        ("language: nl", "language: tlh", "language"),
        ("visibility: public", "visibility: secret", "sessions/0/visibility"),
        ("points: 4", "points: -4", "groups/1/points"),
        ("[math, standard]", "[math, maths]", "imports/1"),
        ("cpu_s: 1.0", "cpu_s: 0", "limits/cpu_s"),
        ("cpu_s: 1.0", "value_depth: 101", "limits/value_depth"),
        ("cpu_s: 1.0", "cpu: 1", "limits"),
        ("akari.txt: |", "/akari.txt: |", "files"),
        ("case: aanmaken", "case: a/b", "sessions/0/steps/0/case"),
        ("line: 41", "line: 0", "sessions/0/steps/0/line"),
        ("AssertionError: ongeldige actie", "ongeldige actie", "sessions/0/steps/3/raises"),
        ("same_as: puzzel", "same_as: puzzel.wit", "sessions/0/steps/1/same_as"),
        ("    same_as: puzzel", '    stdout: ""\n    same_as: puzzel', "sessions/0/steps/1"),
        ("    group: isopgelost", "", "sessions/0/steps/4"),
        ("    action: true", "    unchanged: []", "sessions/0/steps/4"),
        ("module: yinyang ", "# ", ""),
    ],
)
def test_rejects_what_the_loader_rejects(old: str, new: str, place: str) -> None:
    """What an editor can see to be wrong, it marks at the place."""
    assert 1 == GOOD.count(old)
    assert [place] == complaints(GOOD.replace(old, new))


def test_words_are_those_of_the_program() -> None:
    """Languages and visibilities are the ones that the rest of the program knows."""
    assert set(LANGUAGES) == set(get_args(LanguageCode))
    schema: Any = suite_schema(KINDS)
    session = schema["$defs"]["SessionForm"]["properties"]
    assert [each.value for each in Visibility] == session["visibility"]["enum"]


def test_an_editor_accepts_several_modules() -> None:
    """What loads is valid to the schema; both keys, or none, are not."""
    assert VALIDATOR.is_valid(yaml.safe_load(SEVERAL_MODULES))
    assert not VALIDATOR.is_valid(yaml.safe_load(f"module: x\n{SEVERAL_MODULES}"))
    assert not VALIDATOR.is_valid(yaml.safe_load(SEVERAL_MODULES.replace("modules:", "# ")))
