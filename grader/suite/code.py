"""Analyses the code of a step: whether it is an expression, and which names it reads and binds.

The code comes from the suite, and is only parsed and compiled here, never run. The compiler
distinguishes names at the top level of a module from those that are local to a function, lambda or
comprehension.
"""

from __future__ import annotations

import ast
import dis
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Final

from grader.protocol import TYPE
from grader.suite.diagnostics import Refusal, quote
from grader.values.foreign_text import one_line

_FILE_NAME: Final = re.compile(r"[\w][\w -]*\.(txt|csv|tsv|json|dat|xml)\d?")
"""Matches file names. A digit can follow, as footnote marks get attached to names in copied
text."""
_ADVICE: Final = "write Python as you would type it at the prompt"
# Python ends lines only at \n, \r\n and \r; str.splitlines also splits at other newlines.
_LINE_START: Final = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_BLANK_LINES: Final = re.compile(r"\A(?:[ \t]*\n)+")
_STORES: Final = frozenset({"STORE_NAME", "STORE_GLOBAL"})
# Python 3.12 added the second one, for annotations within classes.
_LOADS: Final = frozenset({"LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_DELETIONS: Final = frozenset({"DELETE_NAME", "DELETE_GLOBAL"})
# Python 3.12 inlines most of them; only a generator expression always has its own code object.
_COMPREHENSIONS: Final = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_IMPLICIT: Final = frozenset(
    {"__annotate__", "__annotations__", "__conditional_annotations__", "__doc__", "__name__"}
)
"""Names that the compiler adds for annotations, classes and docstrings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Code in a suite, which compiles."""

    text: str
    is_expression: bool
    binds: tuple[str, ...]
    """The names that the code assigns, in order."""
    binds_before_last: tuple[str, ...]
    """The names that the code assigns before its last statement, which stay bound if that
    raises."""
    reads: frozenset[str]
    """The names that the code reads from outside."""


def with_input(code: str, lines: str, *, is_expression: bool) -> str:
    """Return code that runs `code` with `lines` typed as input."""
    typing = f"{TYPE}({lines!r})"
    # On a separate line, as the code might end in a comment.
    return f"({typing},\n{code}\n)[1]" if is_expression else f"{typing}\n{code}"


@lru_cache(maxsize=4096)
def parse_code(text: str) -> Code:
    """Return the analysis of `text`, which is one or more lines of Python.

    Raises `Refusal` if it has no code, or if it is not valid Python.
    """
    body = _BLANK_LINES.sub("", text)  # not `lstrip`, as wrong indentation is a mistake
    skipped = len(text) - len(body)
    body = body.rstrip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a SyntaxWarning is not a mistake in a suite
            code = _analyse(body)
    except SyntaxError as error:
        raise _syntax_refusal(body, error, skipped) from error
    except ValueError as error:  # null characters or lone surrogates
        problem = "this code has a character that Python does not allow"
        raise Refusal(problem, "remove characters that cannot be seen") from error
    except (RecursionError, MemoryError) as error:  # very long chains of operators, for example
        problem = "this code is too long or too deeply nested for Python"
        raise Refusal(problem, "split it into shorter steps") from error
    if code is None:
        raise Refusal("there is no code here", _ADVICE)
    return code


def attributes(code: Code) -> list[tuple[str, str]]:
    """Return the attributes in `code`, each paired with the name before its dot.

    That name is "" if the expression before the dot is not a name.
    """
    return [
        (node.value.id if isinstance(node.value, ast.Name) else "", node.attr)
        for node in ast.walk(ast.parse(code.text))
        if isinstance(node, ast.Attribute)
    ]


@lru_cache(maxsize=2_000)  # more than the number of such steps in a suite
def number_arguments(text: str, function: str) -> list[int]:
    """Return the leading arguments of a call to `function` in `text`, if they are whole numbers.

    Keyword arguments are included. If there are several calls, the first one with a number counts.
    Return an empty list if no call has one.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and _dotted_name(node.func) == function:
            numbers: list[int] = []
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                # Not `isinstance`, which accepts a bool.
                if not isinstance(argument, ast.Constant) or type(argument.value) is not int:
                    break
                numbers.append(argument.value)
            if numbers:
                return numbers
    return []


def _dotted_name(node: ast.expr) -> str:
    """Return the dotted name of `node`, with "?" for parts that are not names."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


@lru_cache(maxsize=64)  # one stand-in for each suite of a run
def remove_definitions(source: str, names: Collection[str]) -> str:
    """Return our `source` without its top-level functions and classes named in `names`.

    Their lines are emptied, so that other lines keep their numbers.
    """
    lines = source.split("\n")
    for definition in ast.parse(source).body:
        if isinstance(definition, (ast.FunctionDef, ast.ClassDef)) and definition.name in names:
            # `lineno` is the line of `def`, below the decorators.
            first = min(node.lineno for node in (definition, *definition.decorator_list))
            last = definition.end_lineno or first
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def names_by_function(source: str) -> dict[str, frozenset[str]]:
    """Return the top-level functions of our `source`, each mapped to the names that it uses."""
    return {
        definition.name: frozenset(
            node.id for node in ast.walk(definition) if isinstance(node, ast.Name)
        )
        for definition in ast.parse(source).body
        if isinstance(definition, ast.FunctionDef)
    }


def parse_observer(text: str) -> Code:
    """Return the analysis of `text`, or raise `Refusal` if it is not an expression."""
    advice = "write an expression; in a list [...], put quotes around one with a comma"
    try:
        code = parse_code(text)
    except Refusal as refusal:
        offset, width = refusal.offset, refusal.width
        if refusal.advice != _ADVICE:
            advice = refusal.advice or advice
        raise Refusal(refusal.problem, advice, offset=offset, width=width) from refusal
    if not code.is_expression:
        raise Refusal("this is not an expression, so it cannot observe anything", advice)
    return code


def parse_accepts(text: str) -> Code:
    """Return the analysis of `text`, an expression that reads `answer`.

    Raises `Refusal` if `text` is anything else.
    """
    advice = "write a call, such as tiling.covers(answer)"
    code = parse_code(text)
    if not code.is_expression:
        raise Refusal("this is not an expression, so it cannot accept anything", advice)
    if "answer" not in code.reads:
        raise Refusal(
            "this does not read 'answer', which is the value that the step returned", advice
        )
    return code


def _analyse(body: str) -> Code | None:
    """Return the analysis of `body`, or None if it has no statements.

    Raises `SyntaxError` if it does not compile.
    """
    tree = ast.parse(body)
    if not tree.body:
        return None
    binds, reads = _names_in(_compile(tree, body))
    before_last: list[str] = []
    if len(tree.body) > 1:
        before_last, _ = _names_in(_compile(ast.Module(tree.body[:-1], []), body))
    return Code(
        text=body,
        is_expression=_is_expression(body, tree),
        binds=tuple(binds),
        binds_before_last=tuple(before_last),
        reads=frozenset(reads),
    )


def _compile(tree: ast.Module, body: str) -> CodeType:
    """Return the compiled `tree`, which was parsed from `body`.

    Raises `SyntaxError`, with offsets in characters, for code such as `return 1`, which can be
    parsed but not compiled.
    """
    try:
        # Without `dont_inherit`, the `from __future__` imports of this module would apply.
        return compile(tree, "<session>", "exec", dont_inherit=True)
    except SyntaxError as error:
        # Unlike the parser, the compiler reports columns in bytes.
        line = _line(body, error.lineno or 1).encode()
        error.offset = _char_offset(line, error.offset)
        error.end_offset = _char_offset(line, error.end_offset)
        raise


def _char_offset(line: bytes, offset: int | None) -> int | None:
    """Convert a byte `offset` in `line`, counted from 1, to characters."""
    # "replace", as a wrong offset can be inside a character.
    return offset and len(line[: offset - 1].decode(errors="replace")) + 1


def _is_expression(body: str, tree: ast.Module) -> bool:
    """Return whether `body`, parsed as `tree`, is a single expression."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    try:
        ast.parse(body, mode="eval")
    except SyntaxError:  # `f();` and `*a, b` parse to a single Expr, but only as statements
        return False
    return True


def _syntax_refusal(body: str, error: SyntaxError, skipped: int) -> Refusal:
    """Return the refusal for the syntax `error` in `body`.

    `skipped` is the number of characters before `body` in the original text.
    """
    number = error.lineno or 1
    line = _line(body, number).rstrip("\r\n")
    column = min(max(0, (error.offset or 1) - 1), len(line))
    end = error.end_offset if error.end_lineno == error.lineno else None
    before = sum(len(_line(body, earlier)) for earlier in range(1, number))
    return Refusal(
        f"this is not valid Python: {one_line(error.msg)}",
        "remove the prompt" if line.lstrip().startswith(">>>") else _ADVICE,
        offset=skipped + before + column,
        width=max(1, (end or 0) - 1 - column),
    )


def _line(body: str, number: int) -> str:
    """Return line `number` as Python counts lines, with its newline, or "" after the last line."""
    lines = _LINE_START.split(body)
    return lines[number - 1] if number <= len(lines) else ""


def _names_in(code: CodeType) -> tuple[list[str], set[str]]:
    """Return the names that `code` binds, in order, and the names that it reads from outside."""
    bound: dict[str, None] = {}  # an ordered set
    read: set[str] = set()
    read_inside: set[str] = set()
    for instruction in dis.get_instructions(code):
        operation, name = instruction.opname, instruction.argval
        if isinstance(name, CodeType):
            inner, reads = _names_in(name)
            read_inside |= reads
            if name.co_name in _COMPREHENSIONS:  # `:=` in a comprehension binds the name outside it
                bound |= dict.fromkeys(inner)
        elif operation in _STORES:
            bound[name] = None
        elif operation in _DELETIONS and name in bound:  # `except E as e` deletes e at its end
            del bound[name]
        elif operation == "LOAD_GLOBAL":  # a global name, even if this code object also binds it
            read_inside.add(name)
        elif operation in _LOADS | _DELETIONS:
            read.add(name)
    if code.co_name != "<module>":  # names local to a class body
        read -= bound.keys()
    return [name for name in bound if name not in _IMPLICIT], (read | read_inside) - _IMPLICIT


MAX_CODE_BYTES: Final = 1024 * 1024


def read_code(folder: Path, file: str) -> str:
    """Return the code in `file`, which is relative to `folder` or to its parent.

    Raises `Refusal` if the file cannot be read or is not valid Python.
    """
    return check_code(code_text(folder, file), file)


def code_text(folder: Path, file: str) -> str:
    """Return the text of `file` as `read_code` does, without checking that it is Python.

    The path `file` is relative to `folder`, or to the parent of that. Raises `Refusal` if the file
    is missing, too large or not UTF-8, or if it cannot be read.
    """
    # Absolute, as the parent of Path(".") is itself.
    candidates = (folder / file, folder.absolute().parent / file)
    path = next((candidate for candidate in candidates if candidate.is_file()), None)
    if path is None:
        advice = (
            "write its path relative to the folder of the suite, or to the parent of that folder;"
            " to pack a suite together with its files, run: grader pack"
        )
        raise Refusal(f"there is no file {quote(file)}", advice)
    try:
        with path.open("rb") as stream:
            # One byte more than allowed is enough to notice that the file is too large.
            data = stream.read(MAX_CODE_BYTES + 1)
    except OSError as error:
        problem = f"cannot read {quote(file)}: {error.strerror}"
        raise Refusal(problem, "check the permissions of the file") from error
    if len(data) > MAX_CODE_BYTES:
        problem = f"{quote(file)} is larger than {MAX_CODE_BYTES // 1024} KiB"
        raise Refusal(problem, "split it, because submissions could not load it")
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refusal(f"{quote(file)} is not UTF-8 (line {line})", "save it as UTF-8") from error


def check_code(text: str, file: str) -> str:
    """Return `text`, the contents of `file`, or raise `Refusal` if it is not valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a SyntaxWarning is not a mistake
            compile(text, file, "exec", dont_inherit=True)  # compiled, never run
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # `str` would repeat the file, and is empty for a MemoryError.
        reason = one_line(str(error) or "it is too deeply nested", 80)
        where = ""
        if isinstance(error, SyntaxError):
            reason, where = one_line(error.msg, 80), f" (line {error.lineno or 1})"
        problem = f"{quote(file)} is not valid Python: {reason}{where}"
        raise Refusal(problem, "correct the file") from error
    return text


def named_files(code: str) -> Iterator[str]:
    """Yield the text arguments of calls in `code` that look like file names."""
    if not _FILE_NAME.search(code):
        return
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call):
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                match argument:
                    case ast.Constant(value=str(name)) if _FILE_NAME.fullmatch(name):
                        yield name


def written_files(codes: Iterable[str], *, updates: bool = False) -> frozenset[str]:
    """Return the names of the files that steps with `codes` open for writing.

    With `updates`, include files that must already exist, as with mode `r+`.
    """
    return frozenset(
        name
        for code in codes
        if "open(" in code
        for name, mode in _opened_files(ast.parse(code))
        if "r" not in mode or (updates and "+" in mode)
    )


def _opened_files(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the file name and mode of each call to `open` with these as literals."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted_name(node.func) == "open":
            arguments = dict(zip(("file", "mode"), node.args, strict=False))
            arguments |= {keyword.arg or "": keyword.value for keyword in node.keywords}
            match arguments:
                case {
                    "file": ast.Constant(value=str(name)),
                    "mode": ast.Constant(value=str(mode)),
                }:
                    yield name, mode
