"""What YAML makes of text without quotes: `no` is a boolean and `010` is eight, to some readers.

YAML 1.1 (PyYAML) and YAML 1.2 (most editors) disagree about many of these. A suite may only hold
what both read alike, so text that *either* of them would turn into something else needs quotes,
and numbers and booleans have one spelling each.
"""

from __future__ import annotations

import re
from enum import Enum, unique
from typing import Final


@unique
class Kind(Enum):
    """What a node of a suite is; the value is how messages call it."""

    TEXT = "text"
    BOOLEAN = "a boolean"
    INTEGER = "a whole number"
    NUMBER = "a number"
    NOTHING = "nothing"
    DATE = "a date"
    LIST = "a list"
    MAPPING = "a mapping"
    ALIAS = "an alias"


MISREAD: Final = object()
"""Stands in the data of a suite for a scalar that is neither text nor a plain number or boolean."""

_PATTERNS: Final[dict[Kind, str]] = {
    Kind.NOTHING: r"|~|null|Null|NULL",
    Kind.BOOLEAN: "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
    Kind.INTEGER: r"""
          [-+]? [0-9][0-9_]* (:[0-5]?[0-9])*
        | [-+]? 0 (b[01_]+ | o[0-7]+ | x[0-9a-fA-F_]+)
        """,
    Kind.NUMBER: r"""
          [-+]? ([0-9][0-9_]*)? \. [0-9_]* ([eE][-+]?[0-9]+)?
        | [-+]? [0-9]+ [eE][-+]?[0-9]+
        | [-+]? [0-9][0-9_]* (:[0-5]?[0-9])+ \. [0-9_]*
        | [-+]? \. (inf|Inf|INF)
        | \. (nan|NaN|NAN)
        """,
    Kind.DATE: r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2} ([Tt \t].*)?",
}
_KINDS: Final = tuple(
    (kind, re.compile(pattern, re.VERBOSE)) for kind, pattern in _PATTERNS.items()
)
_PLAIN_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_PLAIN_NUMBER: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?")
_BOOLEANS: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_FIRST: Final = frozenset("~+-.0123456789nNyYtTfFoO")
"""How everything that is not text begins; most text is known by its first character."""


def kind_of(text: str) -> Kind:
    """Return what `text`, written without quotes, is to a reader of YAML 1.1 or of YAML 1.2."""
    if text and text[0] not in _FIRST:
        return Kind.TEXT
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(text)), Kind.TEXT)


def plain_value(text: str, kind: Kind) -> object:
    """Return the text, number or boolean that every reader takes `text` for, or `MISREAD`."""
    if kind is Kind.TEXT:
        return text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if kind is Kind.INTEGER and _PLAIN_INTEGER.fullmatch(text):
        return int(text)
    if kind is Kind.NUMBER and _PLAIN_NUMBER.fullmatch(text):
        return float(text)
    return MISREAD
