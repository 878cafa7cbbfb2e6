"""Reads the examples in a spec, session by session, and doubts about them.

Examples are at prompts, in the text or in comments of fenced code. Equations in comments and
assertions in test functions are examples too. Other fenced code is a solution. It is never run,
and only those of its imports that examples need are copied into a suite.
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
from grader.plugins.authoring.deriving.equations import (
    example_from_equation,
    examples_from_assertions,
    find_equations,
    test_functions,
)
from grader.plugins.authoring.deriving.examples import Example, find_examples, with_python_prompts
from grader.sandbox.planning import read_names

_PROMPT: Final = re.compile(r"\s*>>>( |$)")
_QUOTE: Final = re.compile(r" {0,3}>( |$)")  # in CommonMark, four spaces would start code
_LOST_STATEMENT: Final = re.compile(r"^\s*(?:assert|import|from)\s", re.MULTILINE)
"""A statement that is lost if the code cannot be parsed. Its loss is reported as a doubt."""


@dataclass(frozen=True, slots=True)
class ExampleSession:
    """Examples that run in one session."""

    examples: tuple[Example, ...]
    is_separate: bool = False
    """Whether its examples come from one comment, and run separately because they bind names."""


@dataclass(frozen=True, slots=True)
class SpecReading:
    """The examples and doubts of a spec."""

    sessions: tuple[ExampleSession, ...]
    doubts: tuple[Doubt, ...]


def read_spec(text: str, flags: int = 0) -> SpecReading:
    """Return the examples in the `text` of a spec, and the doubts about it.

    The doctest options in `flags` apply to all examples. Raises `SpecError` if an example is not
    Python.
    """
    text = with_python_prompts(text)
    text = _unquote_sessions(text)
    collector = _SpecCollector()
    fenced = list(code_blocks(text.splitlines()))
    for code_block in fenced:
        collector.collect(code_block)
    uncommented = _uncomment_examples(
        text, collector.blocks, [code_block.code for code_block in fenced]
    )
    return collector.reading(find_examples(uncommented, flags))


def _unquote_sessions(text: str) -> str:
    """Return `text` with the quote marks removed from Markdown quotes that contain prompts."""
    lines = text.splitlines()
    for is_quote, block in groupby(range(len(lines)), key=lambda i: bool(_QUOTE.match(lines[i]))):
        indexes = [*block]
        bare = [_QUOTE.sub("", lines[index], count=1) for index in indexes]
        if is_quote and any(map(_PROMPT.match, bare)):
            for index, line in zip(indexes, bare, strict=True):
                lines[index] = line
    return "\n".join([*lines, ""])


def _uncomment_examples(
    text: str, comments: Iterable[SpecLines], codes: Iterable[SpecLines]
) -> str:
    """Return `text` with the examples in `comments` uncommented, on the same lines.

    Other lines of comments become empty. So does the line after each comment and each block of
    code, which would be mistaken for expected output.
    """
    # An extra line is added, because the last comment or fence can end the text.
    lines = [*text.splitlines(), ""]
    for comment in comments:
        lines[comment.first_line - 1 : comment.line_after - 1] = _examples_only(comment.texts)
    for passage in (*comments, *codes):
        lines[passage.line_after - 1] = ""
    return "\n".join(lines)


def _examples_only(texts: Iterable[str]) -> Iterator[str]:
    """Yield each of `texts`, replaced with an empty string if it is not part of an example."""
    prompt_indent: int | None = None
    """The indentation of the current prompt, if any."""
    for text in texts:
        if _PROMPT.match(text):
            prompt_indent = indentation(text)
        elif prompt_indent is not None and (not text.strip() or indentation(text) < prompt_indent):
            prompt_indent = None
        yield "" if prompt_indent is None else text


@dataclass(slots=True)
class _SpecCollector:
    """Collects the examples and doubts in the fenced code of a spec."""

    blocks: list[SpecLines] = field(default_factory=list)
    """Comments with examples at prompts."""
    _examples: list[Example] = field(default_factory=list)
    _doubts: list[Doubt] = field(default_factory=list)
    _tests: set[str] = field(default_factory=set)
    """The names of test functions, calls of which are not examples."""
    _imports: dict[str, Example] = field(default_factory=dict)
    """A set-up step for each import of the code, keyed by the name that it binds."""

    def collect(self, code_block: CodeBlock) -> None:
        """Collect what `code_block` contains, if it is Python or has no language."""
        if not code_block.language or code_block.language in PYTHON:
            self._collect_comments(code_block)
            self._collect_code(code_block.code)

    def _collect_comments(self, code_block: CodeBlock) -> None:
        """Record comments with examples at prompts, and equations in other comments."""
        for block in comment_blocks(code_block):
            example_lines = tuple(_examples_only(block.texts))
            if any(example_lines):
                self.blocks.append(block)
            pairs = zip(block.texts, example_lines, strict=True)
            rest = tuple("" if example else text for text, example in pairs)
            for passage in find_equations(SpecLines(block.first_line, rest)):
                self._add(example_from_equation(passage))

    def _collect_code(self, code: SpecLines) -> None:
        """Collect assertions in test functions, and imports.

        If the code cannot be parsed and loses some of these, record a doubt instead.
        """
        try:
            tree = ast.parse(str(code))
        except SyntaxError as error:  # the code is a session or a fragment
            if _LOST_STATEMENT.search(str(code)):
                self._doubts.append(
                    _unreadable(code.first_line + (error.lineno or 1) - 1, error.msg)
                )
            return
        for function in test_functions(tree):
            self._tests.add(function.name)
            for item in examples_from_assertions(function, code):
                self._add(item)
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._imports.update(_imports(node, code))

    def _add(self, item: Example | Doubt) -> None:
        if isinstance(item, Doubt):
            self._doubts.append(item)
        else:
            self._examples.append(item)

    def reading(self, at_prompts: Iterable[Example]) -> SpecReading:
        """Return the examples `at_prompts` and the collected ones, by session, with all doubts."""
        without_tests = [example for example in at_prompts if not self._calls_test(example)]
        sessions = [self._with_imports(session) for session in self._sessions(without_tests)]
        return SpecReading(sessions=tuple(sessions), doubts=tuple(self._doubts))

    def _calls_test(self, example: Example) -> bool:
        """Return whether `example` is a call to a test function, whose assertions replace it."""
        match example.expression:
            case ast.Call(func=ast.Name(id=name)):
                return name in self._tests
            case _:
                return False

    def _sessions(self, at_prompts: Sequence[Example]) -> Iterator[ExampleSession]:
        """Yield a session of common examples, then a separate one for each comment that binds.

        A comment binds if one of its examples is a statement. The common examples are the collected
        ones, and those at prompts outside such comments. A comment with only set-up has no session.
        """
        groups = [
            [
                example
                for example in at_prompts
                if block.first_line <= example.line < block.line_after
            ]
            for block in self.blocks
        ]
        groups = [group for group in groups if any(example.expression is None for example in group)]
        grouped = {example.line for group in groups for example in group}
        common = [
            *self._examples,
            *(example for example in at_prompts if example.line not in grouped),
        ]
        if common:
            yield ExampleSession(tuple(sorted(common, key=lambda example: example.line)))
        for group in groups:
            prepared = tuple(
                replace(example, is_setup=example.expression is None and not example.is_shown)
                for example in group
            )
            if not all(example.is_setup for example in prepared):
                yield ExampleSession(prepared, is_separate=True)

    def _with_imports(self, session: ExampleSession) -> ExampleSession:
        """Return `session`, preceded by the steps for those imports of the code that it needs."""
        read = {name for example in session.examples for name in read_names(example.code)}
        needed = (step for name, step in self._imports.items() if name in read)
        return replace(session, examples=(*needed, *session.examples))


def _unreadable(line: int, complaint: str) -> Doubt:
    """Return the doubt for code that cannot be parsed, on this `line` of the spec."""
    return Doubt(
        line,
        f"this code cannot be parsed: {complaint}",
        "correct it if it is Python: its comments are used, but its assertions and imports are not",
    )


def _imports(node: ast.Import | ast.ImportFrom, code: SpecLines) -> Iterator[tuple[str, Example]]:
    """Yield each name that the import `node` binds, with a step that imports only that name."""
    for alias in node.names:
        single = (
            ast.Import([alias])
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, [alias], node.level)
        )
        line = code.first_line + node.lineno - 1
        step = Example(code=ast.unparse(single), line=line, is_setup=True)
        yield alias.asname or alias.name.partition(".")[0], step  # `import a.b` binds `a`
