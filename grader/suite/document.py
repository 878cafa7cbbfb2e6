"""The parsed YAML of a suite, with plain data, the position of each value, and YAML mistakes.

YAML 1.1 (PyYAML) and YAML 1.2 (most editors) disagree about text without quotes, such as whether
`no` is a boolean and whether `010` is eight. A suite can contain only what both read in the same
way. So text that *either* version would convert needs quotes, and numbers and booleans have only
one spelling.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from typing import Any, Final, TypeAlias

import yaml

from grader.suite.diagnostics import (
    Diagnostic,
    InvalidSuite,
    Position,
    SuiteText,
    did_you_mean,
    join_words,
    quote,
)

NodePath: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead from the top of a suite to a node."""


@unique
class NodeKind(Enum):
    """The kind of a node; the value is its name in messages."""

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
"""Placeholder for a scalar that YAML readers disagree on, or that suites cannot contain."""

_PATTERNS: Final[dict[NodeKind, str]] = {
    NodeKind.NOTHING: r"|~|null|Null|NULL",
    NodeKind.BOOLEAN: "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
    # YAML 1.1 allows underscores between digits, and reads `1:30` as ninety.
    NodeKind.INTEGER: r"""
          [-+]? [0-9][0-9_]* (:[0-5]?[0-9])*
        | [-+]? 0 (b[01_]+ | o[0-7]+ | x[0-9a-fA-F_]+)
        """,
    NodeKind.NUMBER: r"""
          [-+]? ([0-9][0-9_]*)? \. [0-9_]* ([eE][-+]?[0-9]+)?
        | [-+]? [0-9]+ [eE][-+]?[0-9]+
        | [-+]? [0-9][0-9_]* (:[0-5]?[0-9])+ \. [0-9_]*
        | [-+]? \. (inf|Inf|INF)
        | \. (nan|NaN|NAN)
        """,
    NodeKind.DATE: r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2} ([Tt \t].*)?",
}
_KINDS: Final = tuple(
    (kind, re.compile(pattern, re.VERBOSE)) for kind, pattern in _PATTERNS.items()
)
_PLAIN_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_PLAIN_NUMBER: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?")
_BOOLEANS: Final = {
    spelling: word == "true"
    for word in ("true", "false")
    for spelling in (word, word.title(), word.upper())
}
_SPECIAL_FIRST: Final = frozenset("~+-.0123456789nNyYtTfFoO")
"""First characters of scalars that might not be text. Most text starts with another character,
so it is recognised quickly."""


def kind_of(text: str) -> NodeKind:
    """Return the kind of value that `text`, written without quotes, has in YAML 1.1 or YAML 1.2.

    It is `NodeKind.TEXT` only if both versions read it as text.
    """
    if text and text[0] not in _SPECIAL_FIRST:
        return NodeKind.TEXT
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(text)), NodeKind.TEXT)


def plain_value(text: str, kind: NodeKind) -> object:
    """Return the text, number or boolean that every YAML reader reads from `text`.

    Return `MISREAD` if readers disagree, or if the value is of any other kind, such as a date.
    """
    if kind is NodeKind.TEXT:
        return text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if kind is NodeKind.INTEGER and _PLAIN_INTEGER.fullmatch(text):
        return int(text)
    if kind is NodeKind.NUMBER and _PLAIN_NUMBER.fullmatch(text):
        return float(text)
    return MISREAD


def event_position(event: yaml.Event) -> Position:
    """Return the position of `event`, or only its start if it spans several lines."""
    start: Any = event.start_mark
    end: Any = event.end_mark
    width = end.column - start.column if start.line == end.line else 1
    return Position(start.line + 1, start.column + 1, max(1, width))  # an empty value has no width


_NO_ITEMS: Final[dict[Any, Any]] = {}
"""The items and keys of all scalars, which must stay empty. It is shared, as a suite has tens of
thousands of scalars."""


@dataclass(slots=True, eq=False)
class Node:
    """One value in the file of a suite."""

    kind: NodeKind
    data: Any
    """Plain data: a mapping, a list, text, a number, a boolean, or `MISREAD`."""
    event: yaml.Event
    """The event that the value starts with, which has its position."""
    text: str = ""
    """The text of a scalar, or the source of a flow collection that is on one line."""
    style: str = ""
    """The style of a scalar: a quote, `|`, `>`, or "" for a plain one."""
    path: NodePath | None = None
    """The path of a collection, or None inside a skipped part, such as the value of a bad key."""
    items: dict[str | int, Node] = field(default_factory=lambda: _NO_ITEMS)
    keys: dict[str | int, yaml.Event] = field(default_factory=lambda: _NO_ITEMS)
    """The events of a mapping's keys."""

    @property
    def position(self) -> Position:
        """The position in the file; a collection in brackets on one line is covered as a whole."""
        position = event_position(self.event)
        is_scalar = isinstance(self.event, yaml.ScalarEvent)
        return position if is_scalar or not self.text else replace(position, width=len(self.text))


@dataclass(slots=True)
class Document:
    """The values of a suite, and their positions."""

    source: SuiteText
    root: Node
    problems: list[tuple[NodePath, Diagnostic]] = field(default_factory=list)
    """Mistakes in the YAML itself, each with the path of its node."""

    @property
    def data(self) -> Any:
        """The whole document as plain data."""
        return self.root.data

    def node(self, path: NodePath) -> Node:
        """Return the node at `path`; raises `KeyError` if there is none."""
        node = self.root
        for step in path:
            node = node.items[step]
        return node

    def has(self, path: NodePath) -> bool:
        """Return whether there is a node at `path`."""
        try:
            self.node(path)
        except KeyError:
            return False
        return True

    def key_position(self, path: NodePath) -> Position:
        """Return the position of the key at `path`, or of the value if it has no key.

        Raises `KeyError` if there is no value at `path`.
        """
        key = self.node(path[:-1]).keys.get(path[-1]) if path else None
        return self.node(path).position if key is None else event_position(key)

    def text_position(self, path: NodePath, offset: int, width: int) -> Position:
        """Return the position in the file of `width` characters in the text at `path`.

        They start at `offset` in the text. Return the position of the text itself if the characters
        cannot be located, because the text is folded, escaped or continued in the file.
        """
        node = self.node(path)
        position = node.position
        text_before = node.text[:offset]
        lines_before = text_before.count("\n")
        column = offset - (text_before.rfind("\n") + 1)
        # The lines of a literal block are in the file unchanged, except for the indentation.
        if node.style == "|":
            number = position.line + 1 + lines_before
            line, content = self.source.line(number), node.text.split("\n")[lines_before]
            return Position(number, len(line) - len(content) + column + 1, width)
        start = position.column - 1 + len(node.style)
        if self.source.line(position.line)[start:].startswith(node.text):
            return Position(position.line, start + column + 1, width)
        return position

    def keys_at(self, path: NodePath) -> list[str]:
        """Return the keys of the mapping at `path`, in the order of the file."""
        return [str(key) for key in self.node(path).keys]

    def first_key_position(self, path: NodePath) -> Position:
        """Return the position of the first key in the mapping at `path`, or its own if empty."""
        return self.key_position((*path, *self.keys_at(path)[:1]))


@dataclass(slots=True)
class Findings:
    """Collects diagnostics about the values and keys of `document`."""

    document: Document
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def raise_if_any(self) -> None:
        """Raise `InvalidSuite` if anything was reported."""
        if self.diagnostics:
            raise InvalidSuite(self.document.source.name, self.diagnostics)

    def report_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`, with `advice` on how to mend it."""
        position = self.document.node(path).position
        self.diagnostics.append(self.document.source.diagnostic(position, message, advice))

    def report_key(self, path: NodePath, message: str, advice: str) -> None:
        """Report `message` about the key at `path`, with `advice` on how to mend it."""
        position = self.document.key_position(path)
        self.diagnostics.append(self.document.source.diagnostic(position, message, advice))

    def first_line(self, path: NodePath) -> int:
        """Return the first line of the value at `path`."""
        return self.document.node(path).position.line

    def report_repeated(self, noun: str, path: NodePath, key: str | None = None) -> None:
        """Report each item in the list at `path` that equals an earlier one.

        Mappings are compared by their value at `key`. Messages call an item a `noun`. Do nothing if
        there is no list at `path`.
        """
        if not self.document.has(path):
            return
        first_paths: dict[str, NodePath] = {}
        for index in range(len(self.document.node(path).data)):
            item_path = (*path, index) if key is None else (*path, index, key)
            text = self.document.node(item_path).text
            if first_paths.setdefault(text, item_path) != item_path:
                line = self.first_line(first_paths[text])
                remedy = "remove one of them" if key is None else "remove or change one of them"
                advice = f"line {line} has it already: {remedy}"
                self.report_value(item_path, f"the {noun} {quote(text)} is given twice", advice)

    def report_unknown(
        self, noun: str, path: NodePath, name: str, known: Collection[str], choices: str
    ) -> None:
        """Report `name`, which is at `path`, unless it is `known`.

        The message calls it a `noun`. The advice lists the known names, introduced by `choices`.
        """
        if name not in known:
            message = f"unknown {noun} {quote(name)}{did_you_mean(name, known)}"
            self.report_value(path, message, f"{choices}: {join_words(known)}")
