"""What text without quotes is to the readers of YAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.suite.document import MISREAD, Kind, kind_of, plain_value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("puzzel", Kind.TEXT, "puzzel"),
        ("True_", Kind.TEXT, "True_"),
        ("None", Kind.TEXT, "None"),
        ("1 2", Kind.TEXT, "1 2"),
        ("2024-01-x", Kind.TEXT, "2024-01-x"),
        ("0x", Kind.TEXT, "0x"),
        ("-", Kind.TEXT, "-"),
        ("true", Kind.BOOLEAN, True),
        ("FALSE", Kind.BOOLEAN, False),
        ("no", Kind.BOOLEAN, MISREAD),
        ("On", Kind.BOOLEAN, MISREAD),
        ("0", Kind.INTEGER, 0),
        ("-12", Kind.INTEGER, -12),
        ("+12", Kind.INTEGER, 12),
        ("9" * 18, Kind.INTEGER, 10**18 - 1),
        ("9" * 5000, Kind.INTEGER, MISREAD),
        ("010", Kind.INTEGER, MISREAD),
        ("089", Kind.INTEGER, MISREAD),
        ("1_000", Kind.INTEGER, MISREAD),
        ("0x1F", Kind.INTEGER, MISREAD),
        ("0b11", Kind.INTEGER, MISREAD),
        ("0o17", Kind.INTEGER, MISREAD),
        ("1:20", Kind.INTEGER, MISREAD),
        ("0.5", Kind.NUMBER, 0.5),
        ("-1e3", Kind.NUMBER, -1000.0),
        ("1.5E-3", Kind.NUMBER, 0.0015),
        (".5", Kind.NUMBER, MISREAD),
        ("1.", Kind.NUMBER, MISREAD),
        ("1_0.5", Kind.NUMBER, MISREAD),
        ("1:20.5", Kind.NUMBER, MISREAD),
        ("-.inf", Kind.NUMBER, MISREAD),
        (".NaN", Kind.NUMBER, MISREAD),
        ("", Kind.NOTHING, MISREAD),
        ("~", Kind.NOTHING, MISREAD),
        ("Null", Kind.NOTHING, MISREAD),
        ("2024-01-31", Kind.DATE, MISREAD),
        ("2024-1-3 10:20:30", Kind.DATE, MISREAD),
    ],
)
def test_kind(text: str, kind: Kind, value: object) -> None:
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

    assert tag in kept or kind_of(text) is not Kind.TEXT
