"""Finds, reads and parses the files of a TESTed exercise, within limits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from grader.errors import UsageError
from grader.values.foreign_text import one_line

_FORMS: Final = {"set": "{{{}}}", "list": "[{}]", "tuple": "({})"}
_MAX_PARTS: Final = 10_000
"""The limit for one value."""
_MAX_LINE_CHARS: Final = 20_000
"""The YAML parser takes long for longer numbers."""
_MAX_CHARS: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a tag of TESTed, and its text if it is a scalar."""

    tag: str
    text: str = ""


class _Loader(yaml.SafeLoader):
    """Reads values with tags of TESTed."""


def _tagged(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return Tagged(tag, str(loader.construct_scalar(node)))
    if isinstance(node, yaml.SequenceNode) and tag in _FORMS:
        # Without `deep`, PyYAML fills inner collections only later.
        items = [literal(each) for each in loader.construct_sequence(node, deep=True)]
        if None not in items:
            inner = ", ".join(each for each in items if each is not None)
            comma = "," if len(items) == 1 and tag == "tuple" else ""
            empty = "set()" if tag == "set" and not items else None  # `{}` is a dictionary
            return Tagged("expression", empty or _FORMS[tag].format(inner + comma))
    return Tagged(tag)


_Loader.add_multi_constructor("!", _tagged)


def literal(value: object) -> str | None:
    """Return `value` as Python code, None if there is none for it."""
    if isinstance(value, Tagged):
        return value.text if value.tag == "expression" else None
    return repr(value) if _is_small(value) else None


def _is_small(value: object) -> bool:
    """Return whether `value` has few parts: nested YAML aliases can expand beyond memory."""
    waiting, left = [value], _MAX_PARTS
    while waiting and left > 0:
        part = waiting.pop()
        left -= 1
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list | tuple | set):
            waiting += part
    return not waiting


def found_suite(place: Path) -> tuple[Path | None, Path]:
    """Return the folder of the exercise, if `place` is one, and the file of its test suite."""
    if place.is_file():
        return None, place
    if not place.is_dir():
        raise UsageError(
            f"{one_line(str(place))} does not exist", help="name the folder of an exercise"
        )
    evaluation = config_of(place).get("evaluation")
    named = evaluation.get("test_suite") if isinstance(evaluation, dict) else None
    if isinstance(named, str) and is_in(place, place / "evaluation" / named):
        return place, place / "evaluation" / named
    # It may be `.yaml` or `.yml`.
    found = [each for each in sorted(place.glob("evaluation/*.y*ml")) if is_in(place, each)]
    if len(found) != 1:
        raise UsageError(
            f"{one_line(str(place))} has {len(found)} test suites",
            help="name the file, or the folder of an exercise with one in `evaluation`",
        )
    return place, found[0]


def is_in(folder: Path, path: Path) -> bool:
    """Return whether `path` is a file in `folder` after following links."""
    resolved = path.resolve()
    return folder.resolve() in resolved.parents and resolved.is_file()


def config_of(folder: Path | None) -> dict[str, Any]:
    """Return the content of `config.json` in `folder`, empty if it is missing or invalid."""
    if folder is None or not is_in(folder, folder / "config.json"):
        return {}
    try:
        read = json.loads(text_of(folder / "config.json"))
    except (ValueError, RecursionError):  # nested too deeply
        return {}
    return read if isinstance(read, dict) else {}


def text_of(path: Path) -> str:
    """Return the text of the file at `path`; raises `UsageError` if it is too long."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_CHARS + 1)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error
    if len(data) > _MAX_CHARS:
        raise UsageError(
            f"{one_line(str(path))} has more than {_MAX_CHARS:,} characters",
            help="check that it is a suite of TESTed",
        )
    return data.decode("utf-8", "replace")


def loaded(source: Path) -> object:
    """Return the data in a suite; raises `UsageError` if it cannot be read."""
    text = text_of(source)
    if any(len(line) > _MAX_LINE_CHARS for line in text.splitlines()):
        raise UsageError(f"{one_line(str(source))} has a line that is too long")
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - it is a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(
            f"{one_line(str(source))} cannot be read: {one_line(str(error), 300)}"
        ) from error
