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
_DERIVED_FROM: Final = (
    "Derived from {}: change the spec or its settings and derive again, not this file."
)
_LINE_BREAKS: Final = frozenset("\x85\u2028\u2029\ufeff")
"""Characters that YAML reads as line ends or drops, unless they are escaped."""
_ESCAPED_IN_DOUBLE_QUOTES: Final = frozenset('"\\')  # single quotes need no escape for them
_COMPACT_WIDTH: Final = 120
"""The length that lines with several steps do not exceed."""


class OneLine(dict[str, Any]):
    """A mapping that is written on one line."""


class CodeLines(list[str]):
    """A list of code lines, written one per line."""


class CaseLines(list[Mapping[str, Any]]):
    """Generated sessions, written with one case per line after the steps that prepare it."""


class _Dumper(yaml.SafeDumper):
    """Indents lists, and writes multi-line text as a block and plain lists on one line."""

    def increase_indent(self, flow: object = False, indentless: object = False) -> None:  # noqa: FBT002 - called by PyYAML
        """Indent lists below their key too, although PyYAML passes `indentless`."""
        super().increase_indent(bool(flow), indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        """Return True, so that equal values are written out each time instead of as aliases."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Represent `text` as a block if it has several lines, or in quotes if it needs them."""
    style = None
    # A block cannot contain escapes.
    if "\n" in text and _LINE_BREAKS.isdisjoint(text):
        style = "|"
    elif _needs_quotes(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    """Represent `items` on one line if they are all plain values, except lines of code."""
    is_plain = all(isinstance(item, str | int | float) for item in items)
    is_one_line = is_plain and not isinstance(items, CodeLines)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_one_line)


class _CompactDumper(_Dumper):
    """Writes each list item on one line, however long it is."""


def _represent_compact_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Represent `text` on one line, in the quotes that need fewer escapes."""
    style = None
    # In single quotes, YAML would fold line ends into spaces.
    if "\n" in text or _needs_quotes(text):
        style = '"'
    elif not dumper.analyze_scalar(text).allow_flow_plain:
        style = '"' if "'" in text and _ESCAPED_IN_DOUBLE_QUOTES.isdisjoint(text) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


# PyYAML copies the representers of `_Dumper` when `_CompactDumper` gets its first one, so that one
# comes last.
_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(CodeLines, _represent_list)
_Dumper.add_representer(
    OneLine,
    lambda dumper, mapping: dumper.represent_mapping(
        "tag:yaml.org,2002:map", mapping, flow_style=True
    ),
)
_Dumper.add_representer(list, _represent_list)
_CompactDumper.add_representer(str, _represent_compact_text)


def _needs_quotes(text: str) -> bool:
    """Return whether `text` needs quotes, so that it is read back as the same string.

    Without quotes, YAML could read it as another type, or a suite could read it as a Python
    literal.
    """
    is_text = kind_of(text) is NodeKind.TEXT and _LINE_BREAKS.isdisjoint(text)
    return not is_text or _is_literal(text)


def _is_literal(text: str) -> bool:
    """Return whether `text` is a Python literal."""
    try:
        ast.literal_eval(text)
    # Everything that `literal_eval` is documented to raise; the last two are for deep nesting.
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def as_yaml(document: Mapping[str, Any], *, schema: str | None, origin: str | None = None) -> str:
    """Return `document` as the text of a suite file.

    `schema` is the path of the suite's JSON Schema, or None if there is none. `origin` is the text
    of the comment at the start; by default the comment says that the suite is derived from its
    spec, which `document` then names.
    """
    with_format = {"format": FORMAT, **document}
    body = "".join(key_text(key, value) for key, value in with_format.items())
    schema_line = "" if schema is None else _SCHEMA_LINE.format(schema)
    return f"{schema_line}# {origin or _DERIVED_FROM.format(document['spec'])}\n{body}"


def as_yaml_number(points: float) -> float:
    """Return `points` as a suite writes them, with whole numbers as int."""
    return int(points) if points.is_integer() else points


def key_text(key: str, value: object) -> str:
    """Return one `key` of a suite and its `value`, which is plain data, as YAML."""
    if isinstance(value, CaseLines):
        lines = (line for session in value for line in _compact_lines(session))
        return "\n".join([f"{key}:", *lines, ""])
    return _dump_yaml({key: value}, _Dumper)


def steps_text(session: Mapping[str, Any]) -> str:
    """Return the steps of `session`, which is plain data, as YAML."""
    return _dump_yaml(list(session["steps"]), _Dumper)


def _compact_lines(session: Mapping[str, Any]) -> Iterator[str]:
    """Yield the YAML lines of a session: its header, then its steps.

    Steps share a line until one of them is a case or the line is too long.
    """
    header = OneLine({key: value for key, value in session.items() if key != "steps"})
    steps = [OneLine(step) for step in session["steps"]]
    header_text, *step_texts = (
        _dump_yaml([header, *steps], _CompactDumper).removesuffix("\n").split("\n")
    )
    line = f"  {header_text.removesuffix('}')}, steps: ["
    previous_is_case = True
    for step, text in zip(steps, step_texts, strict=True):
        item = text.removeprefix("- ")
        if previous_is_case or len(line) + len(item) + len(" ,") > _COMPACT_WIDTH:
            yield line
            line = f"      {item},"
        else:
            line += f" {item},"
        previous_is_case = len(step) > 1  # a step with `do` alone prepares the next one
    yield line.removesuffix(",") + "]}"


def _dump_yaml(data: object, dumper: type[_Dumper]) -> str:
    """Return `data` as YAML, in the given order and without line folding."""
    return str(
        yaml.dump(
            data,
            Dumper=dumper,
            allow_unicode=True,
            sort_keys=False,
            width=math.inf,  # folding would change lines quoted from the spec
        )
    )
