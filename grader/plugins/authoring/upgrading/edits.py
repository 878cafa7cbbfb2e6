"""Edits of YAML as text: what no edit is about stays as its author wrote it, comments too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import yaml

from grader.suite.document import NodePath
from grader.suite.reading import LOADER


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """The part of a text from `start` to `end`, in whose place `text` is to be."""

    start: int
    end: int
    text: str = ""


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after `edits`, no two of which are about the same part of it."""
    for each in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: each.start] + each.text + text[each.end :]
    return text


class YamlText:
    """The text of a mapping in YAML, and where in it everything stands.

    It has been read as a suite is, so it has no aliases, and is not nested too deep for libyaml.
    """

    def __init__(self, text: str) -> None:
        """Look at `text`."""
        self.text: Final = text
        self._root: Final[Any] = yaml.compose(text, Loader=LOADER)
        self._line_end: Final = "\r\n" if "\r\n" in text else "\n"

    def before(self, key: str, text: str) -> TextEdit:
        """Return the edit that writes `text`, a key with its value, before a `key` at the top."""
        place = _entries(self._root)[_names(self._root).index(key)][0].start_mark.index
        return TextEdit(start=place, end=place, text=text + self._separator(self._root))

    def last(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that writes `text` behind all else in the mapping or list at `path`."""
        node = self._node(path)
        (*_, (_, value)) = _entries(node)
        end = len(self.text[: _end(value)].rstrip("\r\n"))  # a block of text ends on the next line
        return TextEdit(start=end, end=end, text=self._separator(node) + text)

    def source(self, path: NodePath) -> str:
        """Return how the scalar at `path` is written."""
        node = self._node(path)
        return self.text[node.start_mark.index : node.end_mark.index]

    def replaced(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that has `text` in place of the scalar at `path`."""
        node = self._node(path)
        return TextEdit(start=node.start_mark.index, end=node.end_mark.index, text=text)

    def without(self, path: NodePath) -> TextEdit:
        """Return the edit that leaves out what is at `path`, and what would be empty without it."""
        *above, last = path
        node = self._node(tuple(above))
        entries = _entries(node)
        if len(entries) == 1 and above:
            return self.without(tuple(above))
        place = _names(node).index(last)
        (first, value) = entries[place]
        following = entries[place + 1 :]
        line = self.text.rfind("\n", 0, first.start_mark.index) + 1
        before = self.text[line : first.start_mark.index].strip()
        if node.flow_style or (before and isinstance(last, str)):
            if following:
                return TextEdit(start=first.start_mark.index, end=following[0][0].start_mark.index)
            return TextEdit(start=_end(entries[place - 1][1]), end=_end(value))
        end = _end(value)
        if not self.text[:end].endswith("\n"):
            end = self.text.find("\n", end) + 1 or len(self.text)
        return TextEdit(start=line, end=end)

    def _node(self, path: NodePath) -> Any:
        node = self._root
        for step in path:
            node = _entries(node)[_names(node).index(step)][1]
        return node

    def _separator(self, node: Any) -> str:
        """Return what stands between two entries of `node`, a mapping or a list."""
        if node.flow_style:
            return ", "
        dash = "- " if isinstance(node, yaml.SequenceNode) else ""
        return f"{self._line_end}{' ' * node.start_mark.column}{dash}"


def _entries(node: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping; the items of a list twice."""
    if isinstance(node, yaml.MappingNode):
        return [*node.value]
    return [(item, item) for item in node.value]


def _names(node: Any) -> list[str | int]:
    """Return the keys of a mapping, the indexes of a list."""
    if isinstance(node, yaml.MappingNode):
        return [key.value for key, _ in node.value]
    return [*range(len(node.value))]


def _end(node: Any) -> int:
    """Return where `node` ends: a block of others does where the last of them does."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    return _end(_entries(node)[-1][1])
