"""Reads a spec: all examples in it, session by session, and doubts about them.

Examples are at prompts, in the text or in comments of fenced code; equations in comments and
assertions in test functions count as well. The code itself is a solution: it is never run, and only
imports that examples need get into a suite.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from grader.plugins.authoring.code_blocks import (
    PYTHON,
    CodeBlock,
    SpecLines,
    code_blocks,
    comment_blocks,
    indentation,
)
from grader.plugins.authoring.deriving.doubts import Doubt
from grader.plugins.authoring.deriving.equations import asserted, equation, passages, test_functions
from grader.plugins.authoring.deriving.examples import Example, at_python_prompts, find_examples
from grader.sandbox.planning import names_read

_PROMPT: Final = re.compile(r"\s*>>>( |$)")
_QUOTE: Final = re.compile(r" {0,3}>( |$)")  # in CommonMark, four blanks would make it code
_LOST: Final = re.compile(r"^\s*(?:assert|import|from)\s", re.MULTILINE)
"""Statements that make it worth a doubt if code cannot be parsed."""


@dataclass(frozen=True, slots=True)
class _ExampleSession:
    """Examples that run in one session."""

    examples: tuple[Example, ...]
    is_own: bool = False
    """Whether it is the session of one comment alone, as its examples bind names."""


@dataclass(frozen=True, slots=True)
class SpecReading:
    """The examples and doubts of a spec."""

    sessions: tuple[_ExampleSession, ...]
    doubts: tuple[Doubt, ...]


def read_spec(text: str, flags: int = 0) -> SpecReading:
    """Return the examples in the spec `text`; raises `SpecError` for one that is no Python.

    The doctest options `flags` apply to all examples.
    """
    text = at_python_prompts(text)
    text = _unquoted(text)
    notes = _Notes()
    fenced = list(code_blocks(text.splitlines()))
    for code_block in fenced:
        notes.take(code_block)
    bare = _with_bare_examples(text, notes.blocks, [code_block.code for code_block in fenced])
    return notes.reading(find_examples(bare, flags))


def _unquoted(text: str) -> str:
    """Return `text` with sessions in Markdown quotes unquoted."""
    lines = text.splitlines()
    for is_quote, block in groupby(range(len(lines)), key=lambda at: bool(_QUOTE.match(lines[at]))):
        places = [*block]
        bare = [_QUOTE.sub("", lines[at], count=1) for at in places]
        if is_quote and any(map(_PROMPT.match, bare)):
            for at, line in zip(places, bare, strict=True):
                lines[at] = line
    return "\n".join([*lines, ""])


def _with_bare_examples(
    text: str, comments: Iterable[SpecLines], codes: Iterable[SpecLines]
) -> str:
    """Return `text` with the examples in `comments` uncommented, on the same lines.

    The rest of a comment becomes empty, as does the line after a comment and after fenced code: it
    must not be taken for expected output.
    """
    # One line more: the last comment or fence may end the text.
    lines = [*text.splitlines(), ""]
    for comment in comments:
        lines[comment.first - 1 : comment.after - 1] = _examples_only(comment.texts)
    for passage in (*comments, *codes):
        lines[passage.after - 1] = ""
    return "\n".join(lines)


def _examples_only(texts: Iterable[str]) -> Iterator[str]:
    prompt: int | None = None
    """The indentation of the current prompt, if any."""
    for text in texts:
        if _PROMPT.match(text):
            prompt = indentation(text)
        elif prompt is not None and (not text.strip() or indentation(text) < prompt):
            prompt = None
        yield "" if prompt is None else text


@dataclass(slots=True)
class _Notes:
    """Collects the examples and doubts in the fenced code of a spec."""

    blocks: list[SpecLines] = field(default_factory=list)
    """Comments with examples at prompts."""
    _examples: list[Example] = field(default_factory=list)
    _doubts: list[Doubt] = field(default_factory=list)
    _tests: set[str] = field(default_factory=set)
    _imports: dict[str, Example] = field(default_factory=dict)
    """For each name that the Python code imports, the step that imports it."""

    def take(self, code_block: CodeBlock) -> None:
        if not code_block.language or code_block.language in PYTHON:
            self._take_comments(code_block)
            self._take_code(code_block.code)

    def _take_comments(self, code_block: CodeBlock) -> None:
        for block in comment_blocks(code_block):
            shown = tuple(_examples_only(block.texts))
            if any(shown):
                self.blocks.append(block)
            pairs = zip(block.texts, shown, strict=True)
            rest = tuple("" if example else text for text, example in pairs)
            for passage in passages(SpecLines(block.first, rest)):
                self._keep(equation(passage))

    def _take_code(self, code: SpecLines) -> None:
        try:
            tree = ast.parse(str(code))
        except SyntaxError as error:  # a session, or a fragment
            if _LOST.search(str(code)):
                self._doubts.append(_unreadable(code.first + (error.lineno or 1) - 1, error.msg))
            return
        for function in test_functions(tree):
            self._tests.add(function.name)
            for found in asserted(function, code):
                self._keep(found)
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._imports.update(_imports(node, code))

    def _keep(self, found: Example | Doubt) -> None:
        if isinstance(found, Doubt):
            self._doubts.append(found)
        else:
            self._examples.append(found)

    def reading(self, at_prompts: Iterable[Example]) -> SpecReading:
        """Return the whole reading, given the examples at prompts."""
        shown = [example for example in at_prompts if not self._calls_test(example)]
        sessions = [self._with_imports(session) for session in self._sessions(shown)]
        return SpecReading(sessions=tuple(sessions), doubts=tuple(self._doubts))

    def _calls_test(self, example: Example) -> bool:
        """Return whether `example` calls a test function, whose assertions are used instead."""
        match example.expression:
            case ast.Call(func=ast.Name(id=name)):
                return name in self._tests
            case _:
                return False

    def _sessions(self, shown: Sequence[Example]) -> Iterator[_ExampleSession]:
        """Yield a session of all examples, and one for each comment that binds names."""
        own = [
            [example for example in shown if block.first <= example.line < block.after]
            for block in self.blocks
        ]
        own = [group for group in own if any(example.expression is None for example in group)]
        apart = {example.line for group in own for example in group}
        common = [*self._examples, *(one for one in shown if one.line not in apart)]
        if common:
            yield _ExampleSession(tuple(sorted(common, key=lambda example: example.line)))
        for group in own:
            prepared = tuple(
                replace(one, is_setup=one.expression is None and not one.is_shown) for one in group
            )
            if not all(example.is_setup for example in prepared):
                yield _ExampleSession(prepared, is_own=True)

    def _with_imports(self, session: _ExampleSession) -> _ExampleSession:
        """Return `session` with the imports of the code that it needs before it."""
        read = {name for one in session.examples for name in names_read(one.code)}
        needed = (step for name, step in self._imports.items() if name in read)
        return replace(session, examples=(*needed, *session.examples))


def _unreadable(line: int, complaint: str) -> Doubt:
    return Doubt(
        line,
        f"this code cannot be read: {complaint}",
        "its assertions and imports are left out; its comments are read all the same",
    )


def _imports(node: ast.Import | ast.ImportFrom, code: SpecLines) -> Iterator[tuple[str, Example]]:
    for alias in node.names:
        single = (
            ast.Import([alias])
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, [alias], node.level)
        )
        line = code.first + node.lineno - 1
        step = Example(code=ast.unparse(single), line=line, is_setup=True)
        yield alias.asname or alias.name.partition(".")[0], step  # `import a.b` binds `a`
