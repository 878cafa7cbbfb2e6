"""Edits YAML as text, so that everything else stays as its author wrote it, comments too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import yaml

from grader.suite.document import NodePath
from grader.suite.reading import LOADER


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """Replaces the part of a text from `start` to `end` by `text`."""

    start: int
    end: int
    text: str = ""


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after `edits`, which must not overlap."""
    # From the end, so that positions before it stay valid.
    for each in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: each.start] + each.text + text[each.end :]
    return text


class YamlText:
    """The text of a YAML mapping, with the position of each node.

    It was parsed as a suite before, so it has no aliases, and is not too deep for libyaml.
    """

    def __init__(self, text: str) -> None:
        """Parse `text`."""
        self.text: Final = text
        self._root: Final[Any] = yaml.compose(text, Loader=LOADER)
        self._line_end: Final = "\r\n" if "\r\n" in text else "\n"

    def before(self, key: str, text: str) -> TextEdit:
        """Return the edit that inserts `text`, a key with its value, before a top-level `key`."""
        place = _entries(self._root)[_names(self._root).index(key)][0].start_mark.index
        return TextEdit(start=place, end=place, text=text + self._separator(self._root))

    def last(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that appends `text` to the mapping or list at `path`."""
        node = self._node(path)
        (*_, (_, value)) = _entries(node)
        end = len(self.text[: _end(value)].rstrip("\r\n"))  # a block of text ends on the next line
        return TextEdit(start=end, end=end, text=self._separator(node) + text)

    def source(self, path: NodePath) -> str:
        """Return the source of the scalar at `path`."""
        node = self._node(path)
        return self.text[node.start_mark.index : node.end_mark.index]

    def replaced(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that replaces the scalar at `path` by `text`."""
        node = self._node(path)
        return TextEdit(start=node.start_mark.index, end=node.end_mark.index, text=text)

    def without(self, path: NodePath) -> TextEdit:
        """Return the edit that removes the node at `path`, and parents that become empty."""
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
            # `find` gives -1 on the last line
            end = self.text.find("\n", end) + 1 or len(self.text)
        return TextEdit(start=line, end=end)

    def _node(self, path: NodePath) -> Any:
        node = self._root
        for step in path:
            node = _entries(node)[_names(node).index(step)][1]
        return node

    def _separator(self, node: Any) -> str:
        """Return the text between two entries of `node`, a mapping or a list."""
        if node.flow_style:
            return ", "
        dash = "- " if isinstance(node, yaml.SequenceNode) else ""
        return f"{self._line_end}{' ' * node.start_mark.column}{dash}"


def _entries(node: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping; for a list, pairs of the same item twice."""
    if isinstance(node, yaml.MappingNode):
        return [*node.value]
    return [(item, item) for item in node.value]


def _names(node: Any) -> list[str | int]:
    """Return the keys of a mapping, or the indexes of a list."""
    if isinstance(node, yaml.MappingNode):
        return [key.value for key, _ in node.value]
    return [*range(len(node.value))]


def _end(node: Any) -> int:
    """Return the end of `node`: for a block, the end of its last entry."""
    # The mark of a block is after the comments that follow it.
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    return _end(_entries(node)[-1][1])
