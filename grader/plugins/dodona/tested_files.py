"""Finds, reads and parses the files of a TESTed exercise, within limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from grader.errors import UsageError
from grader.suite.reading import yaml_problem
from grader.values.foreign_text import one_line

_COLLECTION_FORMATS: Final = {"set": "{{{}}}", "list": "[{}]", "tuple": "({})"}
_MAX_PARTS: Final = 10_000
"""The largest number of parts in one value."""
_MAX_LINE_CHARS: Final = 20_000
"""The longest line of a suite. The YAML parser is slow for longer numbers."""
_MAX_BYTES: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a TESTed tag, and its text if it is a scalar or can be written as code."""

    tag: str
    text: str = ""


class _Loader(yaml.SafeLoader):
    """Reads values with TESTed tags."""


def _construct_tagged(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> object:
    """Return the tagged value of a `node` with a TESTed `tag`.

    A scalar keeps its text. A collection becomes Python code if all its items have literals.
    Anything else keeps only its tag.
    """
    if isinstance(node, yaml.ScalarNode):
        return Tagged(tag, str(loader.construct_scalar(node)))
    if isinstance(node, yaml.SequenceNode) and tag in _COLLECTION_FORMATS:
        # Without `deep`, PyYAML would fill nested collections only later.
        items = [literal(item) for item in loader.construct_sequence(node, deep=True)]
        if None not in items:
            joined_items = ", ".join(item for item in items if item is not None)
            comma = "," if len(items) == 1 and tag == "tuple" else ""
            empty_set = "set()" if tag == "set" and not items else None  # `{}` is a dictionary
            return Tagged(
                "expression", empty_set or _COLLECTION_FORMATS[tag].format(joined_items + comma)
            )
    return Tagged(tag)


_Loader.add_multi_constructor("!", _construct_tagged)


def literal(value: object) -> str | None:
    """Return `value` as Python code, or None if it cannot be written as code or is too large."""
    if isinstance(value, Tagged):
        return value.text if value.tag == "expression" else None
    return repr(value) if _is_small(value) else None


def _is_small(value: object) -> bool:
    """Return whether `value` has few enough parts to be written as code.

    With nested aliases, a short YAML file can describe a value that exhausts memory.
    """
    pending, parts_left = [value], _MAX_PARTS
    while pending and parts_left > 0:
        part = pending.pop()
        parts_left -= 1
        if isinstance(part, dict):
            pending += [*part, *part.values()]
        elif isinstance(part, list | tuple | set):
            pending += part
    return not pending


def locate_suite(path_or_folder: Path) -> tuple[Path | None, Path]:
    """Return the exercise folder and the test suite file for a path given by the user.

    The folder is None if the path is the suite file itself. Raises `UsageError` if the path does
    not exist, or if it is a folder where neither the configuration nor the files determine a single
    suite.
    """
    if path_or_folder.is_file():
        return None, path_or_folder
    if not path_or_folder.is_dir():
        raise UsageError(
            f"{one_line(str(path_or_folder))} does not exist",
            help="give the folder of an exercise, or the file of its suite",
        )
    evaluation = read_config(path_or_folder).get("evaluation")
    suite_name = evaluation.get("test_suite") if isinstance(evaluation, dict) else None
    if isinstance(suite_name, str) and is_in(
        path_or_folder, path_or_folder / "evaluation" / suite_name
    ):
        return path_or_folder, path_or_folder / "evaluation" / suite_name
    # The suffix can be `.yaml` or `.yml`.
    suites = [
        path
        for path in sorted(path_or_folder.glob("evaluation/*.y*ml"))
        if is_in(path_or_folder, path)
    ]
    if len(suites) != 1:
        found = f"{len(suites)} test suites" if suites else "no test suite"
        raise UsageError(
            f"{one_line(str(path_or_folder))} has {found} in `evaluation`",
            help="give the file, or the folder of an exercise with one suite in `evaluation`",
        )
    return path_or_folder, suites[0]


def is_in(folder: Path, path: Path) -> bool:
    """Return whether `path` is a file in `folder` after resolving links.

    An exercise is made by others, and must not name other files of this machine.
    """
    resolved = path.resolve()
    return folder.resolve() in resolved.parents and resolved.is_file()


def read_config(folder: Path | None) -> dict[str, Any]:
    """Return the content of `config.json` in `folder`.

    Return an empty dict if there is no folder, or if the file is missing or invalid.
    """
    if folder is None or not is_in(folder, folder / "config.json"):
        return {}
    try:
        config = json.loads(read_text(folder / "config.json"))
    except (ValueError, RecursionError):  # not JSON, or nested too deeply
        return {}  # only the titles and the name of the suite come from this file
    return config if isinstance(config, dict) else {}


def read_text(path: Path) -> str:
    """Return the text of the file at `path`, with replacement characters where it is not UTF-8.

    Raises `UsageError` if the file is unreadable or too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}", help="check its permissions"
        ) from error
    if len(data) > _MAX_BYTES:
        raise UsageError(
            f"{one_line(str(path))} has more than {_MAX_BYTES:,} bytes",
            help="check that it is a file of a TESTed exercise, or leave out tests",
        )
    return data.decode("utf-8", "replace")


def load_yaml(source: Path) -> object:
    """Return the data in the suite file `source`.

    Raises `UsageError` if the file cannot be read, or is not valid YAML.
    """
    text = read_text(source)
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > _MAX_LINE_CHARS:
            raise UsageError(
                f"{one_line(str(source))}: line {number} has more than {_MAX_LINE_CHARS:,}"
                " characters",
                help="split this line, or leave out its test",
            )
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - `_Loader` is a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(
            f"{one_line(str(source))} is not valid YAML: {yaml_problem(error)}",
            help="correct it, or check that it is a TESTed suite",
        ) from error


def tabs_in(suite_data: Mapping[str, Any], source: Path) -> list[dict[str, Any]]:
    """Return the tabs of a TESTed suite, in the new or the old format.

    Raises `UsageError` if there are none, or if the suite is not for Python.
    """
    if suite_data.get("language", "tested") not in {"tested", "python"}:
        language_name = one_line(str(suite_data["language"]))
        raise UsageError(
            f"{one_line(str(source))} is a suite for {language_name}, not for Python",
            help="choose an exercise whose suite is for Python, or for all languages",
        )
    tabs = suite_data.get("tabs", suite_data.get("units"))
    if not isinstance(tabs, list) or not all(isinstance(tab, dict) for tab in tabs):
        raise UsageError(
            f"{one_line(str(source))} has no tabs", help="check that it is a TESTed suite"
        )
    return tabs
