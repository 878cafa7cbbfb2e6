"""Writes a suite as YAML that is pleasant to read, and the same bytes each time."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

import yaml

from grader.suite.document import NodeKind, kind_of

_SCHEMA_LINE: Final = "# yaml-language-server: $schema={}\n"
_DERIVED: Final = (
    "Derived from {}: change the spec or its settings and derive again, not this file."
)
_BREAKS: Final = frozenset("\x85\u2028\u2029\ufeff")
"""Characters that YAML reads as the end of a line, or not at all, unless they are escaped."""


class OneLine(dict[str, Any]):
    """A mapping that is written on one line: one of many that look alike."""


class CodeLines(list[str]):
    """A list of code, each item on a line of its own."""


class _Dumper(yaml.SafeDumper):
    """Indents lists, writes text of several lines as a block, and short lists on one line."""

    def increase_indent(self, flow: object = False, indentless: object = False) -> None:  # noqa: FBT002 - called by PyYAML
        """Indent a list below its key too, whatever PyYAML asks for."""
        super().increase_indent(bool(flow), indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        """Write what is there twice twice: a suite has no aliases."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if not _BREAKS.isdisjoint(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    elif _is_literal(text) or kind_of(text) is not NodeKind.TEXT:
        style = '"'  # an expectation is text, whatever YAML would make of it
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    flow = all(isinstance(item, str | int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flow)


def _lines(dumper: yaml.SafeDumper, items: CodeLines) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=False)


def _one_line(dumper: yaml.SafeDumper, mapping: OneLine) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=True)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(CodeLines, _lines)
_Dumper.add_representer(OneLine, _one_line)
_Dumper.add_representer(list, _list)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def as_yaml(document: Mapping[str, Any], *, schema: str | None, origin: str | None = None) -> str:
    """Return `document` as the text of a suite file; `schema` is the path to its schema, if any.

    `origin` is a line that says where it comes from; by default, from its spec.
    """
    body = yaml.dump(
        dict(document),
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=10_000,  # a folded line is no longer the line of the spec
    )
    first = "" if schema is None else _SCHEMA_LINE.format(schema)
    return f"{first}# {origin or _DERIVED.format(document['spec'])}\n{body}"


def key_text(key: str, value: object) -> str:
    """Return one `key` of a suite with its `value`, plain data, as it stands in the file."""
    return str(
        yaml.dump({key: value}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000)
    )


def steps_text(session: Mapping[str, Any]) -> str:
    """Return the steps of a session, plain data, as they stand in a suite."""
    steps = list(session["steps"])
    return str(yaml.dump(steps, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000))
