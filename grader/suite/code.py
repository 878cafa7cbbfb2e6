"""Analyses the code of a step: whether it is an expression, and which names it reads and binds.

The code is the suite's own, and it is parsed and compiled here, never run. The compiler knows which
names belong to the top level of a module, unlike those local to a function, lambda or
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
from grader.suite.diagnostics import Refusal, quoted
from grader.values.foreign_text import one_line

_FILE_NAME: Final = re.compile(r"[\w][\w -]*\.(txt|csv|tsv|json|dat|xml)\d?")
"""A digit may follow: copying text glues footnote marks to file names."""
_ADVICE: Final = "write Python as it would stand after the prompt"
# Python ends lines only at \n, \r\n and \r; str.splitlines knows more newlines.
_LINE_START: Final = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_BLANK_LINES: Final = re.compile(r"\A(?:[ \t]*\n)+")
_STORES: Final = frozenset({"STORE_NAME", "STORE_GLOBAL"})
# The second one since Python 3.12, for annotations within classes.
_LOADS: Final = frozenset({"LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_DELETIONS: Final = frozenset({"DELETE_NAME", "DELETE_GLOBAL"})
# Python 3.12 inlines most: only the last one always has its own code object.
_COMPREHENSIONS: Final = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_IMPLICIT: Final = frozenset(
    {"__annotate__", "__annotations__", "__conditional_annotations__", "__doc__", "__name__"}
)
"""Names that the compiler adds for annotations, classes and docstrings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Code of a suite that compiles."""

    text: str
    is_expression: bool
    binds: tuple[str, ...]
    """Names that it assigns, in order."""
    binds_before_last: tuple[str, ...]
    """Names that it assigns before its last statement: all that are bound if that one raises."""
    reads: frozenset[str]
    """Names that it reads from outside."""


def typed_to(code: str, lines: str, *, is_expression: bool) -> str:
    """Return `code` that runs with these `lines` typed as input."""
    typing = f"{TYPE}({lines!r})"
    # On a separate line, as the code may end in a comment.
    return f"({typing},\n{code}\n)[1]" if is_expression else f"{typing}\n{code}"


@lru_cache(maxsize=4096)
def parse_code(text: str) -> Code:
    """Return the analysed `text`, one or more lines of Python; raises `Refusal` for other text."""
    body = _BLANK_LINES.sub("", text)  # not `lstrip`: wrong indentation is a mistake
    skipped = len(text) - len(body)
    body = body.rstrip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a SyntaxWarning is not a mistake in a suite
            code = _analysed(body)
    except SyntaxError as error:
        raise _syntax_refusal(body, error, skipped) from error
    except (ValueError, RecursionError, MemoryError) as error:
        # Null characters, lone surrogates, and operators in long chains.
        raise Refusal("Python cannot read this code", _ADVICE) from error
    if code is None:
        raise Refusal("there is no code here", _ADVICE)
    return code


def attributes(code: Code) -> list[tuple[str, str]]:
    """Return the attributes in `code` as (name before the dot or "", attribute)."""
    return [
        (node.value.id if isinstance(node.value, ast.Name) else "", node.attr)
        for node in ast.walk(ast.parse(code.text))
        if isinstance(node, ast.Attribute)
    ]


@lru_cache(maxsize=2_000)  # no suite has more such steps
def numbers_given(text: str, function: str) -> list[int]:
    """Return the leading whole-number arguments of a call of `function` in `text`.

    Keyword arguments count too. Of several calls, the first with any number is used.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and _dotted(node.func) == function:
            numbers: list[int] = []
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                # Not `isinstance`: a bool is an int, too.
                if not isinstance(each, ast.Constant) or type(each.value) is not int:
                    break
                numbers.append(each.value)
            if numbers:
                return numbers
    return []


def _dotted(node: ast.expr) -> str:
    """Return the dotted name of `node`, with "?" for anything that is not a name."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


@lru_cache(maxsize=64)  # a stand-in for each suite of a run
def without(source: str, names: Collection[str]) -> str:
    """Return our `source` without its top-level functions and classes called `names`."""
    lines = source.split("\n")
    for each in ast.parse(source).body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and each.name in names:
            # A function's own line is that of `def`, below its decorators.
            first = min(node.lineno for node in (each, *each.decorator_list))
            last = each.end_lineno or first
            # The other lines keep their numbers.
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def functions(source: str) -> dict[str, frozenset[str]]:
    """Return the top-level functions of our `source`, each with the names that it uses."""
    return {
        each.name: frozenset(node.id for node in ast.walk(each) if isinstance(node, ast.Name))
        for each in ast.parse(source).body
        if isinstance(each, ast.FunctionDef)
    }


def parse_observer(text: str) -> Code:
    """Return the analysed expression `text`; raises `Refusal` for anything else."""
    advice = "write an expression; one with a comma in it needs quotes inside [...]"
    try:
        code = parse_code(text)
    except Refusal as refusal:
        offset, width = refusal.offset, refusal.width
        raise Refusal(refusal.problem, advice, offset=offset, width=width) from refusal
    if not code.is_expression:
        raise Refusal("this is not an expression, so it cannot observe anything", advice)
    return code


def parse_accepts(text: str) -> Code:
    """Return the analysed `text`, an expression that reads `answer`; else raise `Refusal`."""
    advice = "write a call, such as tiling.covers(answer)"
    code = parse_code(text)
    if not code.is_expression:
        raise Refusal("this is not an expression, so it cannot accept anything", advice)
    if "answer" not in code.reads:
        raise Refusal("this does not read 'answer', which is what the step returned", advice)
    return code


def _analysed(body: str) -> Code | None:
    """Return the analysed `body`, or None if it has no statement; raises `SyntaxError`."""
    tree = ast.parse(body)
    if not tree.body:
        return None
    binds, reads = _names(_compile(tree, body))
    before_last: list[str] = []
    if len(tree.body) > 1:
        before_last, _ = _names(_compile(ast.Module(tree.body[:-1], []), body))
    return Code(
        text=body,
        is_expression=_is_expression(body, tree),
        binds=tuple(binds),
        binds_before_last=tuple(before_last),
        reads=frozenset(reads),
    )


def _compile(tree: ast.Module, body: str) -> CodeType:
    """Compile `tree`, parsed from `body`: `return 1` parses, but does not compile."""
    try:
        # Without `dont_inherit` the `from __future__` of this module would apply, too.
        return compile(tree, "<session>", "exec", dont_inherit=True)
    except SyntaxError as error:
        # Unlike the parser, the compiler counts columns in bytes.
        line = _line(body, error.lineno or 1).encode()
        error.offset = _chars(line, error.offset)
        error.end_offset = _chars(line, error.end_offset)
        raise


def _chars(line: bytes, offset: int | None) -> int | None:
    # "replace", as a wrong offset may be inside a character.
    return offset and len(line[: offset - 1].decode(errors="replace")) + 1


def _is_expression(body: str, tree: ast.Module) -> bool:
    """Return whether `body`, parsed as `tree`, is a single expression."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    try:
        ast.parse(body, mode="eval")
    except SyntaxError:  # `f();` and `*a, b` parse to one Expr, but only in statement mode
        return False
    return True


def _syntax_refusal(body: str, error: SyntaxError, skipped: int) -> Refusal:
    """Return the refusal that points at `error`."""
    number = error.lineno or 1
    line = _line(body, number).rstrip("\r\n")
    column = min(max(0, (error.offset or 1) - 1), len(line))
    end = error.end_offset if error.end_lineno == error.lineno else None
    before = sum(len(_line(body, earlier)) for earlier in range(1, number))
    return Refusal(
        f"this is not valid Python: {one_line(error.msg)}",
        "leave out the prompt" if line.lstrip().startswith(">>>") else _ADVICE,
        offset=skipped + before + column,
        width=max(1, (end or 0) - 1 - column),
    )


def _line(body: str, number: int) -> str:
    """Return line `number` as Python counts lines, with its end; "" beyond the last."""
    lines = _LINE_START.split(body)
    return lines[number - 1] if number <= len(lines) else ""


def _names(code: CodeType) -> tuple[list[str], set[str]]:
    """Return the names that compiled `code` binds, in order, and the names that it reads."""
    bound: dict[str, None] = {}  # an ordered set
    read: set[str] = set()
    read_inside: set[str] = set()
    for instruction in dis.get_instructions(code):
        operation, name = instruction.opname, instruction.argval
        if isinstance(name, CodeType):
            inner, reads = _names(name)
            read_inside |= reads
            if name.co_name in _COMPREHENSIONS:  # `:=` in a comprehension binds outside of it
                bound |= dict.fromkeys(inner)
        elif operation in _STORES:
            bound[name] = None
        elif operation in _DELETIONS and name in bound:  # `except E as e` deletes e at its end
            del bound[name]
        elif operation == "LOAD_GLOBAL":  # an outer name, even if this code object binds it too
            read_inside.add(name)
        elif operation in _LOADS | _DELETIONS:
            read.add(name)
    if code.co_name != "<module>":  # names local to a class body
        read -= bound.keys()
    return [name for name in bound if name not in _IMPLICIT], (read | read_inside) - _IMPLICIT


MAX_CODE_BYTES: Final = 1024 * 1024


def read_code(folder: Path, file: str) -> str:
    """Return the code in `file`, relative to `folder` or to its parent.

    Raises `Refusal` if no submission could import it.
    """
    return as_code(code_text(folder, file), file)


def code_text(folder: Path, file: str) -> str:
    """Return the text of `file` as `read_code` does, without checking that it is Python."""
    candidates = (
        folder / file,
        folder.absolute().parent / file,
    )  # the parent of Path(".") is itself
    path = next((place for place in candidates if place.is_file()), None)
    if path is None:
        advice = (
            "name it from the folder of the suite, or from the one above; a suite that goes"
            " without its files is made by: grader pack"
        )
        raise Refusal(f"there is no file {quoted(file)}", advice)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_CODE_BYTES + 1)
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        problem = f"cannot read {quoted(file)}: {one_line(str(error), 80)}"
        raise Refusal(problem, "it has to be a text file in UTF-8") from error
    if len(data) > MAX_CODE_BYTES:
        problem = f"{quoted(file)} is larger than {MAX_CODE_BYTES // 1024} KiB"
        raise Refusal(problem, "no submission could load it: split it")
    return text


def as_code(text: str, file: str) -> str:
    """Return `text`, the contents of `file`, if it is Python; raises `Refusal` otherwise."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, file, "exec", dont_inherit=True)  # compiled, never run
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        problem = f"{quoted(file)} is not valid Python: {one_line(str(error), 80)}"
        raise Refusal(problem, "mend the file") from error
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


def written_files(codes: Iterable[str]) -> frozenset[str]:
    """Return the names of the files that steps with `codes` open for writing."""
    return frozenset(
        name
        for code in codes
        if "open(" in code
        for call in ast.walk(ast.parse(code))
        for name in _files_written(call)
    )


def _files_written(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Name(id="open"),
            args=[ast.Constant(value=str(name)), ast.Constant(value=str(mode))],
        ) if "r" not in mode:
            yield name
