"""What text without quotes is to the readers of YAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.suite.document import MISREAD, NodeKind, kind_of, plain_value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("puzzel", NodeKind.TEXT, "puzzel"),
        ("True_", NodeKind.TEXT, "True_"),
        ("None", NodeKind.TEXT, "None"),
        ("1 2", NodeKind.TEXT, "1 2"),
        ("2024-01-x", NodeKind.TEXT, "2024-01-x"),
        ("0x", NodeKind.TEXT, "0x"),
        ("-", NodeKind.TEXT, "-"),
        ("true", NodeKind.BOOLEAN, True),
        ("FALSE", NodeKind.BOOLEAN, False),
        ("no", NodeKind.BOOLEAN, MISREAD),
        ("On", NodeKind.BOOLEAN, MISREAD),
        ("0", NodeKind.INTEGER, 0),
        ("-12", NodeKind.INTEGER, -12),
        ("+12", NodeKind.INTEGER, 12),
        ("9" * 18, NodeKind.INTEGER, 10**18 - 1),
        ("9" * 5000, NodeKind.INTEGER, MISREAD),
        ("010", NodeKind.INTEGER, MISREAD),
        ("089", NodeKind.INTEGER, MISREAD),
        ("1_000", NodeKind.INTEGER, MISREAD),
        ("0x1F", NodeKind.INTEGER, MISREAD),
        ("0b11", NodeKind.INTEGER, MISREAD),
        ("0o17", NodeKind.INTEGER, MISREAD),
        ("1:20", NodeKind.INTEGER, MISREAD),
        ("0.5", NodeKind.NUMBER, 0.5),
        ("-1e3", NodeKind.NUMBER, -1000.0),
        ("1.5E-3", NodeKind.NUMBER, 0.0015),
        (".5", NodeKind.NUMBER, MISREAD),
        ("1.", NodeKind.NUMBER, MISREAD),
        ("1_0.5", NodeKind.NUMBER, MISREAD),
        ("1:20.5", NodeKind.NUMBER, MISREAD),
        ("-.inf", NodeKind.NUMBER, MISREAD),
        (".NaN", NodeKind.NUMBER, MISREAD),
        ("", NodeKind.NOTHING, MISREAD),
        ("~", NodeKind.NOTHING, MISREAD),
        ("Null", NodeKind.NOTHING, MISREAD),
        ("2024-01-31", NodeKind.DATE, MISREAD),
        ("2024-1-3 10:20:30", NodeKind.DATE, MISREAD),
    ],
)
def test_kind(text: str, kind: NodeKind, value: object) -> None:
    """Text is what any reader of YAML takes it for, and has a value if all of them agree."""
    found = kind_of(text)

    assert kind is found
    assert value == plain_value(text, found)
    assert type(value) is type(plain_value(text, found))


TEXTS = st.text(alphabet="0189abeofxnyNTtrusl.:_-+~ /T", max_size=12)
DATES = st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ]+[0-9 :.Z+-]{0,12})?", fullmatch=True)


@pytest.mark.commands
@settings(derandomize=True, max_examples=1000)
@given(TEXTS | DATES)
def test_at_least_what_pyyaml_retypes(text: str) -> None:
    """Whatever PyYAML would turn into something else than text is not taken for text."""
    resolve: Any = yaml.SafeLoader("").resolve
    tag = resolve(yaml.ScalarNode, text, (True, False))
    kept = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:value", "tag:yaml.org,2002:merge"}

    assert tag in kept or kind_of(text) is not NodeKind.TEXT
