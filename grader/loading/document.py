"""The YAML of a suite as plain data, with the place in the file of everything in it.

Who writes a suite is trusted, but a suite may be generated, merged or damaged, and the parser must
survive it. So the data is built here, straight from libyaml's stream of events: its own composer
recurses in C, and 40,000 nested `[` overflow the stack of the whole process. Events do not nest,
and depth and nodes are counted while they arrive. Aliases, anchors, tags and merge keys are
refused: they make a suite say what cannot be seen at the place itself, and nine lines of aliases
unfold into millions of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import yaml

from grader.display import one_line
from grader.loading.diagnostics import Diagnostic, InvalidSuite
from grader.loading.scalars import MISREAD, Kind, kind_of, plain_value
from grader.loading.source import START, Place, Source
from grader.loading.suggestions import quoted
from grader.loading.yaml_errors import syntax_error

MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000

NodePath: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead from the top of a suite to a node."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it; the parser in Python takes five times as long."""


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of one value of the file."""

    kind: Kind
    place: Place
    key: Place | None = None
    """Where its key stands, when it has one."""
    text: str = ""
    """A scalar's text; a flow collection's source, when it fits on its line."""
    style: str = ""
    """How a scalar is written: a quote, `|`, `>`, or nothing at all for a plain one."""


@dataclass(slots=True)
class Document:
    """A suite's data: mappings, lists, text, numbers, booleans, and `MISREAD` for the rest."""

    source: Source
    data: object = None
    nodes: dict[NodePath, Node] = field(default_factory=dict)
    problems: list[tuple[NodePath, Diagnostic]] = field(default_factory=list)
    """What is wrong with the YAML itself, with the path of the node it concerns."""

    def key_place(self, path: NodePath) -> Place:
        """Return where the key of the node at `path` stands; the node itself if it has none."""
        node = self.nodes[path]
        return node.key or node.place

    def place_in(self, path: NodePath, offset: int, width: int) -> Place:
        """Return where the character at `offset` of the text at `path` stands in the file.

        Folded, escaped and continued text is not in the file as it is: there it is the place
        where the text begins.
        """
        node = self.nodes[path]
        before = node.text[:offset]
        row = before.count("\n")
        column = offset - (before.rfind("\n") + 1)
        if node.style == "|":
            number = node.place.line + 1 + row
            line, content = self.source.line(number), node.text.split("\n")[row]
            return Place(number, len(line) - len(content) + column + 1, width)
        start = node.place.column - 1 + len(node.style)
        if self.source.line(node.place.line)[start:].startswith(node.text):
            return Place(node.place.line, start + column + 1, width)
        return node.place

    def keys_of(self, path: NodePath) -> list[str]:
        """Return the keys of the mapping at `path`, in the order of the file."""
        data: Any = self.data
        for step in path:
            data = data[step]
        return list(data)

    def top_of(self, path: NodePath) -> Place:
        """Return where the mapping at `path` begins: its first key, if it has one."""
        keys = self.keys_of(path)
        return self.key_place((*path, keys[0])) if keys else self.nodes[path].place


def read_document(source: Source) -> Document:
    """Return the one document in `source`.

    Raises `InvalidSuite` when it is no YAML, holds nothing or no mapping, or goes over a cap;
    lesser mistakes are kept in its `problems`.
    """
    reader = _Reader(source)
    try:
        for event in _events(source):
            reader.take(event)
        reader.finish()
    except _Fatal as fatal:
        problems = [problem for _, problem in reader.document.problems]
        raise InvalidSuite(source.name, [*problems, fatal.diagnostic]) from fatal
    return reader.document


class _Fatal(Exception):
    """Reading on makes no sense."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def _events(source: Source) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(source.text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise _Fatal(syntax_error(source, error)) from error


@dataclass(slots=True)
class _Open:
    """A collection whose end is still to come."""

    data: dict[str, object] | list[object]
    path: NodePath | None
    """None inside what is read past, such as the value of a key that is no text."""
    start: Place
    is_flow: bool
    is_key: bool
    awaits_key: bool
    key: str | None = None
    key_place: Place | None = None


class _Reader:
    """Builds one document from its events."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: list[_Open] = []
        self._count = 0
        self._documents = 0
        self.document = Document(source)

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._inspect(event, event.tag)
                self._scalar(event)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._inspect(event, event.tag)
                self._begin(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._end(_place(event))
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self._document(_place(event))
            case _:
                pass

    def finish(self) -> None:
        """Raise `_Fatal` unless the whole is a mapping."""
        root = self.document.nodes.get((), Node(Kind.NOTHING, START))
        advice = "begin with `exercise:`, the name of the exercise"
        if root.kind is Kind.NOTHING:
            raise self._fatal(root.place, "the suite is empty", advice)
        if root.kind is not Kind.MAPPING:
            message = f"a suite is a mapping of keys, not {root.kind.value}"
            raise self._fatal(root.place, message, advice)

    def _fatal(self, place: Place, message: str, advice: str) -> _Fatal:
        return _Fatal(self._source.diagnostic(place, message, advice))

    def _problem(self, place: Place, message: str, advice: str) -> None:
        """Note a mistake; what stands inside a skipped part concerns what is around that part."""
        paths = (frame.path for frame in reversed(self._open) if frame.path is not None)
        diagnostic = self._source.diagnostic(place, message, advice)
        self.document.problems.append((next(paths, ()), diagnostic))

    def _document(self, place: Place) -> None:
        self._documents += 1
        if self._documents > 1:
            advice = "a suite is one document: remove the `---`"
            raise self._fatal(place, "a second document begins here", advice)

    def _inspect(self, event: yaml.NodeEvent, tag: str | None) -> None:
        """Count a value, and refuse what may decorate it."""
        self._count += 1
        if self._count > MAX_NODES:
            message = f"the suite has more than {MAX_NODES:,} values"
            raise self._fatal(_place(event), message, "split it over several suites")
        if event.anchor is not None:
            message = f"anchors are not allowed (`&{one_line(event.anchor, 40)}`)"
            advice = "write the value where it is needed, or put text that begins with & in quotes"
            self._problem(_place(event), message, advice)
        if tag is not None:
            shown = one_line(tag.replace("tag:yaml.org,2002:", "!!"), 40)
            advice = "leave the tag out, or put text that begins with ! in quotes"
            self._problem(_place(event), f"tags are not allowed (`{shown}`)", advice)

    def _alias(self, event: yaml.AliasEvent) -> None:
        place = _place(event)
        message = f"aliases are not allowed (`*{one_line(str(event.anchor), 40)}`)"
        advice = "write the value itself, or put text that begins with * in quotes"
        self._problem(place, message, advice)
        if self._at_key():
            self._key(None, place)
        else:
            self._put(MISREAD, Kind.ALIAS, place)

    def _at_key(self) -> bool:
        return bool(self._open) and self._open[-1].awaits_key

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        style = event.style or ""  # libyaml says "" for a plain scalar, PyYAML None
        kind = Kind.TEXT if style else kind_of(event.value)
        place = _place(event)
        if not self._at_key():
            self._put(plain_value(event.value, kind), kind, place, event.value, style)
        elif event.value == "<<" and not style:
            advice = "write out the keys that are to be merged"
            self._problem(place, "merge keys are not allowed", advice)
            self._key(None, place)
        elif kind is not Kind.TEXT:
            message = f"YAML reads the key `{one_line(event.value, 40)}` as {kind.value}"
            self._problem(place, message, f'write `"{one_line(event.value, 40)}"` in quotes')
            self._key(None, place)
        else:
            self._key(self._new_key(event.value, place), place)

    def _new_key(self, text: str, place: Place) -> str | None:
        """Return `text`, None if its mapping has that key already."""
        mapping = self._open[-1]
        if text not in mapping.data:
            return text
        if mapping.path is not None:
            first = self.document.key_place((*mapping.path, text))
            advice = f"it stands on line {first.line} too: keep one of them"
            self._problem(place, f"the key {quoted(text)} is given twice", advice)
        return None

    def _key(self, text: str | None, place: Place) -> None:
        """Take `text` as the key of the value to come; without a text that is read past."""
        mapping = self._open[-1]
        mapping.awaits_key = False
        mapping.key, mapping.key_place = text, place

    def _put(
        self, value: object, kind: Kind, place: Place, text: str = "", style: str = ""
    ) -> NodePath | None:
        """Put `value` where it belongs and return its path; None if it belongs nowhere."""
        path: NodePath | None = ()
        key_place = None
        if self._open:
            parent = self._open[-1]
            key_place = parent.key_place
            path = _attach(parent, value)
        else:
            self.document.data = value
        if path is not None:
            self.document.nodes[path] = Node(kind, place, key_place, text, style)
        return path

    def _begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        place = _place(event)
        if len(self._open) >= MAX_DEPTH:
            message = f"values are nested more than {MAX_DEPTH} deep"
            raise self._fatal(place, message, "text with brackets in it goes in quotes")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        kind = Kind.MAPPING if is_mapping else Kind.LIST
        data: dict[str, object] | list[object] = {} if is_mapping else []
        is_key = self._at_key()
        if is_key:
            advice = "text with brackets in it goes in quotes"
            self._problem(place, f"{kind.value} cannot be a key", advice)
        path = None if is_key else self._put(data, kind, place)
        self._open.append(_Open(data, path, place, bool(event.flow_style), is_key, is_mapping))

    def _end(self, end: Place) -> None:
        closed = self._open.pop()
        start = closed.start
        if closed.is_key:
            self._key(None, start)
        if closed.is_flow and closed.path is not None and start.line == end.line:
            text = self._source.line(start.line)[start.column - 1 : end.column - 1 + end.width]
            place = Place(start.line, start.column, len(text))
            node = self.document.nodes[closed.path]
            self.document.nodes[closed.path] = replace(node, place=place, text=text)


def _attach(parent: _Open, value: object) -> NodePath | None:
    """Put `value` into the collection `parent` and return its path; None inside a skipped part."""
    step: str | int
    if isinstance(parent.data, list):
        step = len(parent.data)
        parent.data.append(value)
    else:
        parent.awaits_key = True
        if parent.key is None:
            return None
        step = parent.key
        parent.data[step] = value
    return None if parent.path is None else (*parent.path, step)


def _place(event: yaml.Event) -> Place:
    start, end = event.start_mark, event.end_mark
    assert start is not None, "a parser marks every event"
    assert end is not None, "a parser marks every event"
    width = end.column - start.column if start.line == end.line else 1
    return Place(start.line + 1, start.column + 1, max(1, width))
