"""Finds the examples at prompts: the code behind `>>>`, and the output below it.

The parser is that of the standard library's doctest; added are the comment on the prompt line,
which is the note of an example, and the line of the spec. Its option flags are kept, as they decide
how output is compared; examples with SKIP are left out. IPython prompts, `In [1]:`, work too.
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
from grader.suite.code import typed_to
from grader.values.leniency import STRICT, Ignored, Leniency

_PLACE: Final = re.compile(r"line (\d+) of the docstring for \S+ (.*)", re.DOTALL)
# As doctest has it: with a quote after it, it is part of a string.
_DIRECTIVE: Final = re.compile(r"[ \t]*#\s*doctest:[^\n'\"]*$", re.MULTILINE)
"""An option of doctest on a line."""


_INPUT: Final = re.compile(r"^(\s*)In \[\d+\]: ?(.*)", re.MULTILINE)
"""A prompt of IPython."""
_MORE: Final = re.compile(
    r"\s*[.]{3,}: ?(.*)"
)  # before IPython 5, a dot more for each further digit
_OUTPUT: Final = re.compile(r"\s*Out\[\d+\]: ?(.*)")
_RULE: Final = re.compile(r"\s*-{10,}\s*")
_RAISED: Final = re.compile(r"\s*[A-Za-z_][\w.]*(?::.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example of the spec."""

    code: str
    """The code without the comment and the final newline."""
    note: str | None = None
    """The comment on the prompt line."""
    want: tuple[str, ...] = ()
    """The lines shown below the prompt; empty for none, and for a traceback."""
    exception: str | None = None
    """The last line of the traceback, such as `ValueError: no`."""
    line: int
    """Its line in the spec, 1-based: that of its prompt if it has one."""
    flags: int = 0
    """Its option flags of doctest."""
    is_setup: bool = False
    """Whether it only prepares later ones, and is no case itself."""
    as_lists: bool = False
    """Whether lists of rows are accepted for an array that it shows."""
    lets: Leniency = STRICT
    """The author's leniency for all examples."""
    typed: str | None = None
    """The lines of input; None if it reads none."""
    screen: str = ""
    """The expected screen, if it reads input."""

    @property
    def leniency(self) -> Leniency:
        """The leniency of its doctest options."""
        text = self.exception or "\n".join(self.want)
        dots = self.flags & doctest.ELLIPSIS and doctest.ELLIPSIS_MARKER in text
        blanks = {Ignored.BLANKS} if self.flags & doctest.NORMALIZE_WHITESPACE else ()
        return Leniency(ellipsis=bool(dots), ignored=frozenset(blanks))

    @property
    def sent(self) -> str:
        """The code to run, with its input."""
        if self.typed is None:
            return self.code
        return typed_to(self.code, self.typed, is_expression=self.expression is not None)

    @property
    def is_shown(self) -> bool:
        """Whether the spec shows output or an exception for it."""
        return bool(self.want) or self.exception is not None

    @property
    def expression(self) -> ast.expr | None:
        """The code as an expression, None for statements."""
        match ast.parse(self.code).body:
            case [ast.Expr(value=value)]:
                return value
            case _:
                return None


def at_python_prompts(text: str) -> str:
    """Return `text` with IPython sessions as Python sessions; line numbers stay the same."""
    return "\n".join(_prompted(text.splitlines())) if _INPUT.search(text) else text


def _prompted(lines: Iterable[str]) -> Iterator[str]:
    indent, is_session, is_traceback = "", False, False
    for line in lines:
        if given := _INPUT.fullmatch(line):
            (indent, code), is_session, is_traceback = given.groups(), True, False
            yield f"{indent}>>> {code}" if code else ""
        elif is_traceback:
            is_traceback = is_session = _RAISED.fullmatch(line) is None
            # doctest skips the lines of the stack.
            yield f"{indent}  ..." if is_traceback else f"{indent}{line.strip()}"
        elif is_session and (more := _MORE.fullmatch(line)):
            yield f"{indent}... {more[1]}"
        elif is_session and (shown := _OUTPUT.fullmatch(line)):
            yield f"{indent}{shown[1]}"
        # IPython draws a line before a traceback.
        elif is_session and _RULE.fullmatch(line):
            is_traceback = True
            yield f"{indent}Traceback (most recent call last):"
        else:
            is_session = is_session and bool(line.strip())
            yield line


def find_examples(text: str, flags: int = 0) -> list[Example]:
    """Return the examples of a spec in order, all with the doctest option `flags`.

    Raises `SpecError` for one that is not Python.
    """
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        raise _unreadable(str(error)) from error
    flagged = ((example, _flags(example, flags)) for example in found)
    return [_example(example, own) for example, own in flagged if not own & doctest.SKIP]


def _flags(example: doctest.Example, flags: int) -> int:
    for flag, is_on in example.options.items():
        flags = flags | flag if is_on else flags & ~flag
    return flags


def _unreadable(complaint: str) -> SpecError:
    """Return the error of doctest, at the line that its message names.

    Such as "line 5 of the docstring for <string> lacks blank after >>>: ...".
    """
    place = _PLACE.search(complaint)
    if place is None:
        return SpecError(1, f"the example session cannot be read: {complaint}")
    what = f"this line {place[2]}" if place[2].startswith(("lacks", "has")) else place[2]
    return SpecError(
        int(place[1]),
        f"the example session cannot be read: {what}",
        help="write a blank after `>>>`, and indent the output below it like the prompt",
    )


def _example(found: doctest.Example, flags: int) -> Example:
    line = found.lineno + 1  # doctest counts from 0
    try:
        ast.parse(found.source)
    except SyntaxError as error:
        raise SpecError(line, f"this example is not Python: {error.msg}") from error
    code, note = _without_comment(_DIRECTIVE.sub("", found.source))
    exception = None if found.exc_msg is None else found.exc_msg.rstrip("\n")
    lines = found.want.rstrip("\n").split("\n")
    shown = ("" if line.strip() == doctest.BLANKLINE_MARKER else line for line in lines)
    want = () if exception is not None else tuple(shown)
    return Example(
        code=code,
        note=note,
        want=() if want == ("",) else want,  # `split` makes one empty line of no text
        exception=exception,
        line=line,
        flags=flags,
    )


def without_own_imports(example: Example, module: str) -> Iterator[Example]:
    """Yield `example` without imports of names from `module`, the submission.

    Steps have these names already; one import of all would fail for a single missing name.
    """
    match ast.parse(example.code).body:
        case [ast.ImportFrom(module=name, names=names, level=0)] if name == module:
            for each in names:
                if each.name == "*" or each.asname not in {None, each.name}:
                    code = ast.unparse(ast.ImportFrom(name, [each], 0))
                    yield replace(example, code=code, note=None, is_setup=True)
        case _:
            yield example


def _without_comment(source: str) -> tuple[str, str | None]:
    """Return `source` without a comment at its end, and that comment."""
    comments = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    # In code of several lines, comments are part of the code.
    if len(comments) != 1 or source.count("\n") != 1:
        return source.rstrip("\n"), None
    (comment,) = comments
    return source[: comment.start[1]].rstrip(), comment.string.lstrip("#").strip() or None
