"""Writes a suite as readable YAML, with the same bytes each time."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from grader.suite.document import NodeKind, kind_of
from grader.suite.formats import FORMAT

_SCHEMA_LINE: Final = "# yaml-language-server: $schema={}\n"
_DERIVED: Final = (
    "Derived from {}: change the spec or its settings and derive again, not this file."
)
_BREAKS: Final = frozenset("\x85\u2028\u2029\ufeff")
"""Characters that YAML reads as a line end, or drops, unless they are escaped."""
_ESCAPED: Final = frozenset('"\\')  # in double quotes; single quotes need no escape for them
_COMPACT_WIDTH: Final = 120


class OneLine(dict[str, Any]):
    """A mapping that is written on one line."""


class CodeLines(list[str]):
    """A list of code, with one item per line."""


class CaseLines(list[Mapping[str, Any]]):
    """Generated sessions: one case per line, with the steps before it if there is room."""


class _Dumper(yaml.SafeDumper):
    """Indents lists, writes multi-line text as a block, and short lists on one line."""

    def increase_indent(self, flow: object = False, indentless: object = False) -> None:  # noqa: FBT002 - called by PyYAML
        """Indent a list below its key too, whatever PyYAML asks for."""
        super().increase_indent(bool(flow), indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        """Return True: a suite has no aliases, so equal values are written out each time."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    # A block has no escapes.
    if "\n" in text and _BREAKS.isdisjoint(text):
        style = "|"
    elif _needs_quotes(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    is_short = all(isinstance(item, str | int | float) for item in items)
    flow = is_short and not isinstance(items, CodeLines)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flow)


class _CompactDumper(_Dumper):
    """Writes each item of a list on one line, however long it is."""


def _compact_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Represent `text` without a line break, in the quotes that need fewer escapes."""
    style = None
    # In single quotes, YAML would fold line ends into blanks.
    if "\n" in text or _needs_quotes(text):
        style = '"'
    elif not dumper.analyze_scalar(text).allow_flow_plain:
        style = '"' if "'" in text and _ESCAPED.isdisjoint(text) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(CodeLines, _list)
_Dumper.add_representer(
    OneLine,
    lambda dumper, mapping: dumper.represent_mapping(
        "tag:yaml.org,2002:map", mapping, flow_style=True
    ),
)
_Dumper.add_representer(list, _list)
_CompactDumper.add_representer(str, _compact_text)


def _needs_quotes(text: str) -> bool:
    """Return whether `text` without quotes would be no text in YAML, or a literal in a suite."""
    is_text = kind_of(text) is NodeKind.TEXT and _BREAKS.isdisjoint(text)
    return not is_text or _is_literal(text)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    # All that `literal_eval` is documented to raise, the last two for deep nesting.
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def as_yaml(document: Mapping[str, Any], *, schema: str | None, origin: str | None = None) -> str:
    """Return `document` as the text of a suite file; `schema` is the path to its schema, if any.

    `origin` is a line that says where it comes from; by default, from its spec.
    """
    whole = {"format": FORMAT, **document}
    body = "".join(key_text(key, value) for key, value in whole.items())
    first = "" if schema is None else _SCHEMA_LINE.format(schema)
    return f"{first}# {origin or _DERIVED.format(document['spec'])}\n{body}"


def written_points(points: float) -> float:
    """Return `points` as a suite writes them: whole numbers without a decimal point."""
    return int(points) if points.is_integer() else points


def key_text(key: str, value: object) -> str:
    """Return the YAML of one `key` of a suite with its `value`, plain data."""
    if isinstance(value, CaseLines):
        lines = (line for session in value for line in _compact_lines(session))
        return "\n".join([f"{key}:", *lines, ""])
    return _dumped({key: value}, _Dumper)


def steps_text(session: Mapping[str, Any]) -> str:
    """Return the YAML of the steps of a session, plain data."""
    return _dumped(list(session["steps"]), _Dumper)


def _compact_lines(session: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a session: its head, then its cases, each after the steps before it."""
    facts = OneLine({key: value for key, value in session.items() if key != "steps"})
    steps = [OneLine(step) for step in session["steps"]]
    first, *others = _dumped([facts, *steps], _CompactDumper).removesuffix("\n").split("\n")
    line = f"  {first.removesuffix('}')}, steps: ["
    is_asked = True
    for step, text in zip(steps, others, strict=True):
        item = text.removeprefix("- ")
        if is_asked or len(line) + len(item) + len(" ,") > _COMPACT_WIDTH:
            yield line
            line = f"      {item},"
        else:
            line += f" {item},"
        is_asked = len(step) > 1  # with `do` alone it only prepares the next
    yield line.removesuffix(",") + "]}"


def _dumped(data: object, dumper: type[_Dumper]) -> str:
    return str(
        yaml.dump(
            data,
            Dumper=dumper,
            allow_unicode=True,
            sort_keys=False,
            width=math.inf,  # folding would change the text of a line from the spec
        )
    )
