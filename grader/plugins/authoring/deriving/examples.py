"""Finds the examples at prompts: the code after `>>>`, and the output below it.

The doctest module of the standard library parses the examples. This module adds the line of the
spec, and the comment on the prompt line, which becomes the note of the example. The option flags
of doctest are kept, because they decide how output is compared. Examples with SKIP are omitted.
IPython prompts, `In [1]:`, are supported too.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from grader.plugins.authoring.deriving.doubts import SpecError
from grader.suite.code import with_input
from grader.values.leniency import STRICT, Ignored, Leniency

_LINE_OF_COMPLAINT: Final = re.compile(
    r"line (\d+) of the doc(?:string|test) for \S+ (.*)", re.DOTALL
)
# As in doctest, text that is followed by a quote is part of a string.
_DIRECTIVE: Final = re.compile(r"[ \t]*#\s*doctest:[^\n'\"]*$", re.MULTILINE)
"""A comment with doctest options."""
_INPUT: Final = re.compile(r"^(\s*)In \[\d+\]: ?(.*)", re.MULTILINE)
"""An IPython prompt."""
_CONTINUATION: Final = re.compile(r"\s*[.]{3,}: ?(.*)")
"""An IPython continuation line. Before IPython 5, it has a dot for each digit of the prompt."""
_OUTPUT: Final = re.compile(r"\s*Out\[\d+\]: ?(.*)")
_SEPARATOR: Final = re.compile(r"\s*-{10,}\s*")
"""The line that IPython draws before a traceback."""
_EXCEPTION_LINE: Final = re.compile(r"\s*[A-Za-z_][\w.]*(?::.*)?")
"""The last line of a traceback, such as `ValueError: no`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example of the spec."""

    code: str
    """The code without the comment and the final newline."""
    note: str | None = None
    """The comment on the prompt line."""
    want: tuple[str, ...] = ()
    """The lines of output below the prompt. Empty for a traceback."""
    exception: str | None = None
    """The last line of the traceback, such as `ValueError: no`. None if there is no traceback."""
    line: int
    """The line of the spec on which it starts, 1-based."""
    flags: int = 0
    """Its doctest options, as bit flags."""
    is_setup: bool = False
    """Whether it only prepares later examples, and is not a case."""
    as_lists: bool = False
    """Whether a list of rows is accepted instead of an array that it shows."""
    author_leniency: Leniency = STRICT
    """The author's leniency for all examples."""
    input_text: str | None = None
    """The lines of input that it reads, or None if it reads no input."""
    screen: str = ""
    """The expected screen, if it reads input."""

    @property
    def leniency(self) -> Leniency:
        """The leniency that its doctest options ask for."""
        text = self.exception or "\n".join(self.want)
        dots = self.flags & doctest.ELLIPSIS and doctest.ELLIPSIS_MARKER in text
        blanks = {Ignored.BLANKS} if self.flags & doctest.NORMALIZE_WHITESPACE else ()
        return Leniency(ellipsis=bool(dots), ignored=frozenset(blanks))

    @property
    def runnable_code(self) -> str:
        """The code to run, including its input."""
        if self.input_text is None:
            return self.code
        return with_input(self.code, self.input_text, is_expression=self.expression is not None)

    @property
    def is_shown(self) -> bool:
        """Whether the spec shows output or an exception for it."""
        return bool(self.want) or self.exception is not None

    @property
    def expression(self) -> ast.expr | None:
        """The code as an expression, or None if it consists of statements."""
        match ast.parse(self.code).body:
            case [ast.Expr(value=value)]:
                return value
            case _:
                return None


def with_python_prompts(text: str) -> str:
    """Return `text` with IPython sessions converted to Python sessions, line by line."""
    return "\n".join(_convert_prompts(text.splitlines())) if _INPUT.search(text) else text


def _convert_prompts(lines: Iterable[str]) -> Iterator[str]:
    """Yield `lines` with the prompts and tracebacks of IPython replaced with those of Python."""
    indent, is_session, is_traceback = "", False, False
    for line in lines:
        if prompt := _INPUT.fullmatch(line):
            (indent, code), is_session, is_traceback = prompt.groups(), True, False
            yield f"{indent}>>> {code}" if code else ""
        elif is_traceback:
            is_traceback = is_session = _EXCEPTION_LINE.fullmatch(line) is None
            # doctest skips the lines of the stack, whatever their text.
            yield f"{indent}  ..." if is_traceback else f"{indent}{line.strip()}"
        elif is_session and (continued := _CONTINUATION.fullmatch(line)):
            yield f"{indent}... {continued[1]}"
        elif is_session and (output := _OUTPUT.fullmatch(line)):
            yield f"{indent}{output[1]}"
        elif is_session and _SEPARATOR.fullmatch(line):
            is_traceback = True
            yield f"{indent}Traceback (most recent call last):"
        else:
            is_session = is_session and bool(line.strip())
            yield line


def find_examples(text: str, flags: int = 0) -> list[Example]:
    """Return the examples in the `text` of a spec, in order.

    The doctest options in `flags` apply to all examples. Raises `SpecError` if an example is not
    Python.
    """
    try:
        parsed = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        raise _unreadable(str(error)) from error
    flagged = ((example, _combine_flags(example, flags)) for example in parsed)
    return [
        _example(example, options) for example, options in flagged if not options & doctest.SKIP
    ]


def _combine_flags(example: doctest.Example, flags: int) -> int:
    """Return `flags` after `example` has turned its own options on or off."""
    for flag, is_on in example.options.items():
        flags = flags | flag if is_on else flags & ~flag
    return flags


def _unreadable(complaint: str) -> SpecError:
    """Return the error for a `complaint` from doctest, at the line that the complaint names.

    A complaint reads "line 5 of the docstring for <string> lacks blank after >>>: ...". If it is
    about an option, it says "doctest" instead of "docstring".
    """
    match = _LINE_OF_COMPLAINT.search(complaint)
    line, reason = (1, complaint) if match is None else (int(match[1]), match[2])
    advice = "write a space after `>>>`, and indent the output below it like the prompt"
    if re.match("has (?:an invalid )?option", reason):
        advice = "correct the doctest option: write # doctest: +NAME on the line of an example"
    reason = f"this line {reason}" if reason.startswith(("lacks", "has")) else reason
    return SpecError(line, f"the example session cannot be read: {reason}", help=advice)


def _example(parsed: doctest.Example, flags: int) -> Example:
    """Return an example that doctest has `parsed`. Raises `SpecError` if it is not Python."""
    line = parsed.lineno + 1  # doctest counts from 0
    try:
        ast.parse(parsed.source)
    except SyntaxError as error:
        raise SpecError(
            line,
            f"this example is not valid Python: {error.msg}",
            help="correct the code, or remove the >>> if it is not an example",
        ) from error
    code, note = _split_comment(_DIRECTIVE.sub("", parsed.source))
    exception = None if parsed.exc_msg is None else parsed.exc_msg.rstrip("\n")
    lines = parsed.want.rstrip("\n").split("\n")
    output_lines = ("" if text.strip() == doctest.BLANKLINE_MARKER else text for text in lines)
    want = () if exception is not None else tuple(output_lines)
    return Example(
        code=code,
        note=note,
        want=() if want == ("",) else want,  # `split` returns one empty line for empty text
        exception=exception,
        line=line,
        flags=flags,
    )


def without_submission_imports(example: Example, module: str) -> Iterator[Example]:
    """Yield `example`, unless it consists of an import from `module`, the submission.

    Steps can use the submission's names without importing them, whereas an import of several names
    would fail if any one were missing. An import of `*`, or under another name, is still needed:
    yield a set-up step for each of these.
    """
    match ast.parse(example.code).body:
        case [ast.ImportFrom(module=name, names=names, level=0)] if name == module:
            for alias in names:
                if alias.name == "*" or alias.asname not in {None, alias.name}:
                    code = ast.unparse(ast.ImportFrom(name, [alias], 0))
                    yield replace(example, code=code, note=None, is_setup=True)
        case _:
            yield example


def _split_comment(source: str) -> tuple[str, str | None]:
    """Return `source` without the comment at its end, and the comment or None."""
    comments = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    # In code of several lines, comments stay part of the code.
    if len(comments) != 1 or source.count("\n") != 1:
        return source.rstrip("\n"), None
    (comment,) = comments
    return source[: comment.start[1]].rstrip(), comment.string.lstrip("#").strip() or None
