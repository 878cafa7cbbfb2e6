"""Edits YAML as text, so that everything else stays as written, including comments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import yaml

from grader.suite.document import NodePath
from grader.suite.reading import LOADER


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """Replaces the characters from `start` to `end` with `text`."""

    start: int
    end: int
    text: str = ""


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` with `edits` applied. Edits that do not only remove text must not overlap."""
    original, removed_from = text, len(text)
    # From the end, so that positions before an edit stay valid.
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        end = edit.end
        if not edit.text:
            # Both removals of neighbours can include the comma or the indentation between them.
            end = min(end, removed_from)
            removed_from = edit.start
        remaining, overlap = text[end:], original[end : edit.end]
        if overlap.isspace():  # the indentation of the first key that stays behind a dash
            remaining = remaining.removeprefix(overlap)
        text = text[: edit.start] + edit.text + remaining
    return text


class YamlText:
    """The text of a YAML mapping, with methods that return edits of it.

    The text must already have been read as a suite. That ensures that it has no aliases and is not
    nested too deeply for libyaml.
    """

    def __init__(self, text: str) -> None:
        """Parse `text`."""
        self.text: Final = text
        self._root: Final[Any] = yaml.compose(text, Loader=LOADER)
        self._line_end: Final = "\r\n" if "\r\n" in text else "\n"

    def insert_before(self, key: str, text: str) -> TextEdit:
        """Return the edit that inserts `text`, a key and its value, before a top-level `key`."""
        start = _items(self._root)[_keys(self._root).index(key)][0].start_mark.index
        return TextEdit(start=start, end=start, text=text + self._separator(self._root))

    def append(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that appends `text` to the mapping or list at `path`."""
        node = self._node(path)
        (*_, (_, value)) = _items(node)
        # Strip newlines, because the value of a literal block ends on the next line.
        position = len(self.text[: _end(value)].rstrip("\r\n"))
        return TextEdit(start=position, end=position, text=self._separator(node) + text)

    def source(self, path: NodePath) -> str:
        """Return the source of the scalar at `path`."""
        node = self._node(path)
        return self.text[node.start_mark.index : node.end_mark.index]

    def replace(self, path: NodePath, text: str) -> TextEdit:
        """Return the edit that replaces the scalar at `path` with `text`."""
        node = self._node(path)
        return TextEdit(start=node.start_mark.index, end=node.end_mark.index, text=text)

    def remove(self, path: NodePath) -> TextEdit:
        """Return the edit that removes the node at `path` and any parents that become empty."""
        *parent_path, last_key = path
        node = self._node(tuple(parent_path))
        entries = _items(node)
        if len(entries) == 1 and parent_path:
            return self.remove(tuple(parent_path))
        index = _keys(node).index(last_key)
        (key, value) = entries[index]
        following = entries[index + 1 :]
        line_start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        text_before = self.text[line_start : key.start_mark.index].strip()
        # In `- key: value`, only the key and its value are removed, because the dash must stay.
        if node.flow_style or (text_before and isinstance(last_key, str)):
            if following:
                return TextEdit(start=key.start_mark.index, end=following[0][0].start_mark.index)
            if index == 0:  # the only entry of a top-level mapping
                return TextEdit(start=key.start_mark.index, end=_end(value))
            return TextEdit(start=_end(entries[index - 1][1]), end=_end(value))
        end = _end(value)
        if not self.text[:end].endswith("\n"):
            # The rest of the line goes too, such as a comment. On the last line, `find` returns -1.
            end = self.text.find("\n", end) + 1 or len(self.text)
        return TextEdit(start=line_start, end=end)

    def _node(self, path: NodePath) -> Any:
        node = self._root
        for key in path:
            node = _items(node)[_keys(node).index(key)][1]
        return node

    def _separator(self, node: Any) -> str:
        """Return the text between two entries of `node`, a mapping or a list."""
        if node.flow_style:
            return ", "
        dash = "- " if isinstance(node, yaml.SequenceNode) else ""
        return f"{self._line_end}{' ' * node.start_mark.column}{dash}"


def _items(node: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping; for a list, pair each item with itself."""
    if isinstance(node, yaml.MappingNode):
        return [*node.value]
    return [(item, item) for item in node.value]


def _keys(node: Any) -> list[str | int]:
    """Return the keys of a mapping, or the indexes of a list."""
    if isinstance(node, yaml.MappingNode):
        return [key.value for key, _ in node.value]
    return [*range(len(node.value))]


def _end(node: Any) -> int:
    """Return the end offset of `node`; for a block node, the end of its last entry."""
    # The end mark of a block node is after the comments that follow it.
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    return _end(_items(node)[-1][1])
