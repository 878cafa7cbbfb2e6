"""Reads the YAML of a suite into a `Document`.

Authors are trusted, but a suite can be generated, merged or damaged, and the parser must survive
that. So nodes are composed here, from libyaml's stream of events: its own composer recurses in C,
where 40,000 nested `[` overflow the stack of the process. Events are not nested, and depth and
nodes are counted as they arrive. Aliases, anchors, tags and merge keys are refused. They hide the
meaning of a line from its reader, and nine lines of aliases can expand to millions of nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import yaml

from grader.suite.diagnostics import START, Diagnostic, InvalidSuite, Position, SuiteText, quote
from grader.suite.document import (
    MISREAD,
    Document,
    Node,
    NodeKind,
    NodePath,
    event_position,
    kind_of,
    plain_value,
)
from grader.values.foreign_text import one_line

MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000

LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader if PyYAML was built with it, as PyYAML's own takes five times as long."""

_TOO_DEEP: Final = "maximum nesting depth"
"""Part of the error that libyaml 0.2.6 raises, before any event, for a thousand nested brackets."""

_TAB_INDENT: Final = re.compile(r" *(?=\t)")
"""Matches the spaces before a tab at the beginning of a line."""
_BRACKETS: Final = "put text with brackets in quotes"
_QUOTE: Final = "put the text in quotes, or after a | with the text on the lines below"
_INDENT: Final = f"check the indentation; when text follows a quote or a bracket, {_QUOTE}"
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    (
        "mapping values are not allowed",
        f"text without quotes cannot contain a colon and a space: {_QUOTE}",
    ),
    ("cannot start any token", f"text without quotes cannot begin with this character: {_QUOTE}"),
    ("unexpected end of stream", "close the quote that opens here"),
    ("expected ',' or", "a bracket is not closed, or text in brackets needs quotes"),
    ("incompatible YAML", "remove the line that begins with %YAML"),
    ("'-' indicator", "items of a list begin with `- ` in the same column"),
    ("expected key", _INDENT),
    ("block end", _INDENT),
)
"""Parts of error messages, which libyaml and PyYAML share, each paired with advice."""


def read_document(source: SuiteText) -> Document:
    """Return the single document in `source`.

    Raises `InvalidSuite` if `source` is not YAML, is empty, is not a mapping, or exceeds a cap.
    Mistakes that leave the rest readable are stored in the document's `problems`.
    """
    try:
        return _compose(source, LOADER)
    except InvalidSuite as invalid:
        if _TOO_DEEP not in str(invalid.__cause__):
            raise
    # libyaml gives no position for this error. PyYAML's parser in Python gets far enough to reach
    # our own limit on depth, and that error has a position.
    return _compose(source, yaml.SafeLoader)


def _compose(source: SuiteText, loader: Any) -> Document:
    """Return the document in `source`, composed from the events of `loader`.

    Raises `InvalidSuite` if a mistake makes the rest unreadable. The error also contains the
    earlier problems.
    """
    composer = _Composer(source)
    try:
        for event in yaml.parse(source.text, Loader=loader):
            composer.process(event)
        return composer.document()
    except (yaml.YAMLError, _FatalMistake) as error:
        fatal = (
            error.diagnostic if isinstance(error, _FatalMistake) else _syntax_error(source, error)
        )
        problems = [problem for _, problem in composer.problems]
        raise InvalidSuite(source.name, [*problems, fatal]) from error


class _FatalMistake(Exception):
    """A mistake after which the file is not read further."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(slots=True)
class _OpenCollection:
    """A list or mapping whose end has not been read yet."""

    node: Node
    is_key: bool
    """Whether it stands where a key belongs, which is a mistake."""
    awaits_key: bool
    """Whether it is a mapping whose next node is a key."""
    key: tuple[str, yaml.Event] | None = None
    """In a mapping, the key of the next value, or None if that value is skipped."""


class _Composer:
    """Composes a document from its events."""

    def __init__(self, source: SuiteText) -> None:
        self._source = source
        self._stack: list[_OpenCollection] = []
        self._count = 0
        self._documents = 0
        self._root: Node | None = None
        self.problems: list[tuple[NodePath, Diagnostic]] = []

    def process(self, event: yaml.Event) -> None:
        """Add the value of `event` to the document, or record it as a mistake.

        Raises `_FatalMistake` if the rest of the document cannot be read.
        """
        match event:
            case yaml.ScalarEvent():
                self._count_and_check(event, event.tag)
                self._add_scalar(event)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._count_and_check(event, event.tag)
                self._begin_collection(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._end_collection(event)
            case yaml.AliasEvent():
                self._add_alias(event)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    advice = "a suite is one document: remove the `---`"
                    raise self._fatal_error(
                        event_position(event), "a second document begins here", advice
                    )

    def document(self) -> Document:
        """Return the composed document; raises `_FatalMistake` if it is empty or not a mapping."""
        root = self._root
        advice = "begin with `exercise:`, the name of the exercise"
        if root is None or root.kind is NodeKind.NOTHING:
            position = START if root is None else root.position
            raise self._fatal_error(position, "the suite is empty", advice)
        if root.kind is not NodeKind.MAPPING:
            message = f"a suite is a mapping of keys, not {root.kind.value}"
            raise self._fatal_error(root.position, message, advice)
        return Document(self._source, root, self.problems)

    def _fatal_error(self, position: Position, message: str, advice: str) -> _FatalMistake:
        return _FatalMistake(self._source.diagnostic(position, message, advice))

    def _record_problem(self, event: yaml.Event, message: str, advice: str) -> None:
        """Record a mistake at `event`, under the path of the nearest parent that is not skipped."""
        paths = (frame.node.path for frame in reversed(self._stack))
        path = next((path for path in paths if path is not None), ())
        self.problems.append(
            (path, self._source.diagnostic(event_position(event), message, advice))
        )

    def _count_and_check(self, event: yaml.NodeEvent, tag: str | None) -> None:
        """Count a value, and record anchors and tags on it as mistakes.

        Raises `_FatalMistake` if there are too many values.
        """
        self._count += 1
        if self._count > MAX_NODES:
            message = f"the suite has more than {MAX_NODES:,} values"
            raise self._fatal_error(event_position(event), message, "split it over several suites")
        if event.anchor is not None:
            message = f"anchors are not allowed (`&{one_line(event.anchor, 40)}`)"
            advice = "write the value where it is needed, or put text that begins with & in quotes"
            self._record_problem(event, message, advice)
        if tag is not None:
            # The parser has expanded the shorthand that authors write.
            short_tag = one_line(tag.replace("tag:yaml.org,2002:", "!!"), 40)
            advice = "leave the tag out, or put text that begins with ! in quotes"
            self._record_problem(event, f"tags are not allowed (`{short_tag}`)", advice)

    def _is_at_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].awaits_key

    def _add_alias(self, event: yaml.AliasEvent) -> None:
        """Record an alias as a mistake, and add a placeholder for it.

        If the alias stands where a key belongs, skip the value of that key instead.
        """
        message = f"aliases are not allowed (`*{one_line(str(event.anchor), 40)}`)"
        advice = "write the value itself, or put text that begins with * in quotes"
        self._record_problem(event, message, advice)
        if self._is_at_key():
            self._set_key(None)
        else:
            self._add(Node(NodeKind.ALIAS, MISREAD, event))

    def _add_scalar(self, event: yaml.ScalarEvent) -> None:
        """Add a scalar as a value, or make it the key of the next value.

        A bad key is recorded as a mistake, and its value is skipped.
        """
        text = event.value
        style = event.style or ""  # "" in libyaml and None in PyYAML for a plain scalar
        kind = NodeKind.TEXT if style else kind_of(text)
        if not self._is_at_key():
            self._add(Node(kind, plain_value(text, kind), event, text, style))
            return
        node, key = self._stack[-1].node, None
        # In quotes, "<<" is ordinary text.
        if text == "<<" and not style:
            advice = "write out the keys that are to be merged"
            self._record_problem(event, "merge keys are not allowed", advice)
        elif kind is not NodeKind.TEXT:
            key_text = one_line(text, 40)
            message = f"YAML reads the key `{key_text}` as {kind.value}"
            self._record_problem(event, message, f'write `"{key_text}"` in quotes')
        elif (first := node.keys.get(text)) is None:
            key = text, event
        # In a skipped mapping, a repeated key does not matter.
        elif node.path is not None:
            advice = f"it is also on line {event_position(first).line}: keep one of them"
            self._record_problem(event, f"the key {quote(text)} is given twice", advice)
        self._set_key(key)

    def _set_key(self, key: tuple[str, yaml.Event] | None) -> None:
        """Set the key of the next value in a mapping; None skips that value."""
        self._stack[-1].awaits_key, self._stack[-1].key = False, key

    def _add(self, node: Node) -> NodePath | None:
        """Add `node` to its parent and return its path.

        Return None if `node` is part of something skipped, such as the value of a bad key.
        """
        if not self._stack:
            self._root = node
            return ()
        frame = self._stack[-1]
        parent = frame.node
        step: str | int
        if parent.kind is NodeKind.LIST:
            step = len(parent.data)
            parent.data.append(node.data)
        else:
            frame.awaits_key = True
            if frame.key is None:
                return None
            step, parent.keys[step] = frame.key
            parent.data[step] = node.data
        parent.items[step] = node
        return None if parent.path is None else (*parent.path, step)

    def _begin_collection(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        """Add an empty list or mapping and push it onto the stack.

        A collection where a key belongs is pushed but not added, and recorded as a mistake. Raises
        `_FatalMistake` if the collection is nested too deeply.
        """
        if len(self._stack) >= MAX_DEPTH:
            message = f"values are nested more than {MAX_DEPTH} deep"
            raise self._fatal_error(event_position(event), message, _BRACKETS)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        kind = NodeKind.MAPPING if is_mapping else NodeKind.LIST
        # The node gets its own dicts, as all scalars share one.
        node = Node(kind, {} if is_mapping else [], event, items={}, keys={})
        is_key = self._is_at_key()
        if is_key:
            self._record_problem(event, f"{kind.value} cannot be a key", _BRACKETS)
        else:
            node.path = self._add(node)
        self._stack.append(_OpenCollection(node, is_key, is_mapping))

    def _end_collection(self, event: Any) -> None:
        """Pop a list or mapping off the stack; `event` is its end.

        Store its source if it is in brackets on one line. If it stands where a key belongs, skip
        the value of that key.
        """
        closed = self._stack.pop()
        if closed.is_key:
            self._set_key(None)
        first: Any = closed.node.event
        start, end = first.start_mark, event.end_mark
        if first.flow_style and start.line == end.line:
            closed.node.text = self._source.line(start.line + 1)[start.column : end.column]


def yaml_problem(error: Exception) -> str:
    """Return what is wrong in a YAML file, with the line if known, for the `error` of a loader."""
    mark = getattr(error, "problem_mark", None)
    line = "" if mark is None else f" in line {mark.line + 1}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return one_line(str(getattr(error, "problem", None) or error)) + line


def _syntax_error(source: SuiteText, error: yaml.YAMLError) -> Diagnostic:
    """Return the diagnostic for the syntax `error` in `source`, with its position if known."""
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    mark = getattr(error, "problem_mark", None)
    context = getattr(error, "context_mark", None)
    if "unexpected end of stream" in problem and context is not None:
        # Point at the unclosed quote, not at the end of the file.
        mark = context
    position = START if mark is None else Position(mark.line + 1, mark.column + 1)
    # At the end of the file, the parser can point past the last line.
    if position.line > len(source.lines):
        position = Position(len(source.lines), len(source.lines[-1]) + 1)
    # Whatever the parser says of a line that is indented with a tab, the tab is the mistake.
    indent = _TAB_INDENT.match(source.line(position.line))
    if indent:
        return source.diagnostic(
            Position(position.line, indent.end() + 1),
            "a tab is used for indentation",
            "YAML indents with spaces only: replace the tab with spaces",
        )
    advice = next((advice for part, advice in _ADVICE if part in problem), _QUOTE)
    return source.diagnostic(position, f"this is not valid YAML: {one_line(problem)}", advice)
