"""Reads the code of a step: is it an expression, which names does it read, which does it bind.

The code is the suite's own, and it is parsed and compiled here, never run. Names are looked up the
way Python does it for code at the top level of a module: what a function, a lambda or a
comprehension binds for itself is nobody else's.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.suite.diagnostics import Refusal, quoted
from grader.values.display import one_line

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_ADVICE: Final = "write Python as it would stand after the prompt"
_LINE_START: Final = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_BLANK_LINES: Final = re.compile(r"\A(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Code of a suite that compiles."""

    text: str
    is_expression: bool
    binds: tuple[str, ...]
    """Names that it assigns, in order."""
    binds_before_last: tuple[str, ...]
    """Those that it assigns before its last statement: all there is when that one raises."""
    reads: frozenset[str]
    """Names that it reads and that are not its own."""


@lru_cache(maxsize=4096)
def parse_code(text: str) -> Code:
    """Return what `text`, one or more lines of Python, is; raises `Refusal` if it is no Python."""
    body = _BLANK_LINES.sub("", text)
    skipped = len(text) - len(body)
    body = body.rstrip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a suite may do is not for us to frown upon
            code = _read(body)
    except SyntaxError as error:
        raise _not_python(body, error, skipped) from error
    except (ValueError, RecursionError, MemoryError) as error:
        # Null characters, lone surrogates, and operators in long chains.
        raise Refusal("Python cannot read this code", _ADVICE) from error
    if code is None:
        raise Refusal("there is no code here", _ADVICE)
    return code


def attributes(code: Code) -> list[tuple[str | None, str]]:
    """Return the attributes that `code` names, each with the name before it, if there is one."""
    return [
        (node.value.id if isinstance(node.value, ast.Name) else None, node.attr)
        for node in ast.walk(ast.parse(code.text))
        if isinstance(node, ast.Attribute)
    ]


def parse_observer(text: str) -> Code:
    """Return what `text`, an expression, is; raises `Refusal` for anything else."""
    advice = "write an expression; one with a comma in it needs quotes inside [...]"
    try:
        code = parse_code(text)
    except Refusal as refusal:
        offset, width = refusal.offset, refusal.width
        raise Refusal(refusal.problem, advice, offset=offset, width=width) from refusal
    if not code.is_expression:
        raise Refusal("this is no expression, so it cannot observe anything", advice)
    return code


def parse_accepts(text: str) -> Code:
    """Return what `text` is, an expression that reads `answer`; raises `Refusal` for the rest."""
    advice = "write a call, such as tiling.covers(answer)"
    code = parse_code(text)
    if not code.is_expression:
        raise Refusal("this is no expression, so it cannot accept anything", advice)
    if "answer" not in code.reads:
        raise Refusal("this does not read 'answer', which is what the step returned", advice)
    return code


def _read(body: str) -> Code | None:
    tree = _compiled(body)
    if not tree.body:
        return None
    before_last, whole = _Names(), _Names()
    for statement in tree.body[:-1]:
        before_last.visit(statement)
    whole.visit(tree)
    return Code(
        text=body,
        is_expression=_is_expression(body, tree),
        binds=tuple(whole.bound),
        binds_before_last=tuple(before_last.bound),
        reads=frozenset(whole.read),
    )


def _compiled(body: str) -> ast.Module:
    """Return `body` parsed, after a trial compilation: `return 1` parses, but never runs."""
    tree = ast.parse(body)
    try:
        compile(tree, "<session>", "exec", dont_inherit=True)
    except SyntaxError as error:
        # Unlike the parser, the compiler counts columns in bytes.
        line = _line(body, error.lineno or 1).encode()
        error.offset = _chars(line, error.offset)
        error.end_offset = _chars(line, error.end_offset)
        raise
    return tree


def _chars(line: bytes, offset: int | None) -> int | None:
    return offset and len(line[: offset - 1].decode(errors="replace")) + 1


def _is_expression(body: str, tree: ast.Module) -> bool:
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    try:
        ast.parse(body, mode="eval")
    except SyntaxError:  # `f();` and `*a, b` are expressions to the eye, statements to Python
        return False
    return True


def _not_python(body: str, error: SyntaxError, skipped: int) -> Refusal:
    """Return the refusal that points at `error`."""
    number = error.lineno or 1
    line = _line(body, number).rstrip("\r\n")
    column = min(max(0, (error.offset or 1) - 1), len(line))
    end = error.end_offset if error.end_lineno == error.lineno else None
    before = sum(len(_line(body, earlier)) for earlier in range(1, number))
    return Refusal(
        f"this is no Python: {one_line(error.msg)}",
        "leave out the prompt" if line.lstrip().startswith(">>>") else _ADVICE,
        offset=skipped + before + column,
        width=max(1, (end or 0) - 1 - column),
    )


def _line(body: str, number: int) -> str:
    """Return line `number` as Python counts them, with its end; nothing beyond the last."""
    lines = _LINE_START.split(body)
    return lines[number - 1] if number <= len(lines) else ""


class _Names:
    """Collects the names that code at the top level reads and binds.

    A shallow one stays out of the bodies of functions and classes.
    """

    def __init__(self, *, shallow: bool = False) -> None:
        self._shallow = shallow
        self._scopes: list[set[str]] = []
        self.bound: dict[str, None] = {}  # keeps the order, which a set does not
        self.read: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        visit = _VISITS.get(type(node))
        if visit is not None:
            visit(self, node)
        else:
            self._visit_all(ast.iter_child_nodes(node))

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _visit_inside(self, nodes: Iterable[ast.AST], names: set[str]) -> None:
        """Visit `nodes` as part of a scope that has `names` for itself."""
        self._scopes.append(names)
        self._visit_all(nodes)
        self._scopes.pop()

    def _bind(self, name: str | None) -> None:
        if name is not None and not self._scopes:
            self.bound[name] = None

    def _reads(self, name: str) -> None:
        if not any(name in names for names in self._scopes):
            self.read.add(name)

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        else:
            self._reads(node.id)  # `del x` needs an x too

    def augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._reads(node.target.id)
        self._visit_all((node.target, node.value))

    def imported(self, node: ast.alias) -> None:
        if node.name != "*":
            self._bind(node.asname or node.name.partition(".")[0])

    def captured(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        self._bind(node.rest if isinstance(node, ast.MatchMapping) else node.name)
        self._visit_all(ast.iter_child_nodes(node))

    def function(self, node: _Function) -> None:
        self._bind(node.name)
        self._visit_all((*node.decorator_list, node.args, node.returns))
        if not self._shallow:
            self._visit_inside(node.body, _locals_of(node.args, node.body))

    def lambda_(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._visit_inside([node.body], _locals_of(node.args, []))

    def class_(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        self._visit_all((*node.decorator_list, *node.bases, *node.keywords))
        if not self._shallow:
            self._visit_inside(node.body, _stored(node.body))

    def comprehension(self, node: _Comprehension) -> None:
        # An assignment expression inside one binds a name outside of it.
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self._bind(inner.target.id)
        names = _stored([loop.target for loop in node.generators])
        self._visit_inside(ast.iter_child_nodes(node), names)


_VISITS: Final[dict[type[ast.AST], Callable[[_Names, Any], None]]] = {
    ast.AsyncFunctionDef: _Names.function,
    ast.AugAssign: _Names.augmented,
    ast.ClassDef: _Names.class_,
    ast.DictComp: _Names.comprehension,
    ast.FunctionDef: _Names.function,
    ast.GeneratorExp: _Names.comprehension,
    ast.Lambda: _Names.lambda_,
    ast.ListComp: _Names.comprehension,
    ast.MatchAs: _Names.captured,
    ast.MatchMapping: _Names.captured,
    ast.MatchStar: _Names.captured,
    ast.Name: _Names.name,
    ast.SetComp: _Names.comprehension,
    ast.alias: _Names.imported,
}


def _locals_of(arguments: ast.arguments, body: list[ast.stmt]) -> set[str]:
    """Return the names that a function with these parts has for itself."""
    names = {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
    shared = {
        name
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Global)
        for name in node.names
    }
    return names | (_stored(body) - shared)


def _stored(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    collector = _Names(shallow=True)
    for node in nodes:
        collector.visit(node)
    return set(collector.bound)


MAX_CODE_BYTES: Final = 1024 * 1024


def read_code(folder: Path, file: str) -> str:
    """Return the text of `file`, named from `folder` or from the one above.

    Raises `Refusal` for what no submission could import.
    """
    places = (folder / file, folder.absolute().parent / file)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        advice = "name it from the folder of the suite, or from the one above"
        raise Refusal(f"there is no file {quoted(file)}", advice)
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_CODE_BYTES + 1)
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        problem = f"cannot read {quoted(file)}: {one_line(str(error), 80)}"
        raise Refusal(problem, "it has to be a text file in UTF-8") from error
    if len(data) > MAX_CODE_BYTES:
        problem = f"{quoted(file)} is larger than {MAX_CODE_BYTES // 1024} KiB"
        raise Refusal(problem, "no submission could load it: split it")
    _compile(text, file)
    return text


def _compile(text: str, file: str) -> None:
    """Raise `Refusal` if `text` does not compile; nothing of it is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        problem = f"{quoted(file)} is no Python: {one_line(str(error), 80)}"
        raise Refusal(problem, "mend the file") from error
