"""Levels programs: normalizes them so that the usual disguises of a copy make no difference.

It runs in an executor, and does not run the programs. Names and literals are levelled, and so are
the order of operands, split or merged statements, dead code, and loops with manual counters. The
result for a function is a row of statements, each as text: a compound statement comes without its
block, which follows it in the row.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from grader.plugins.similarity.blocks import nodes_of, plain

_BUILT_IN: Final = frozenset(dir(builtins))
_COMMUTES: Final = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor)
_MIRRORED: Final = {ast.Gt: "Lt", ast.GtE: "LtE"}  # `a > b` is spelled as `b < a`
_EITHER_WAY: Final = ("Eq", "NotEq", "Is", "IsNot")
_OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES: Final = (*_FUNCTIONS, ast.ClassDef)
_LEAST_PART: Final = 7
"""Expressions with at least this many nodes are fragments of their own."""
Spelled: TypeAlias = tuple[str, int]
"""An expression as text, and its number of nodes."""


class Statement(NamedTuple):
    """A levelled statement as text, with its large expressions as `parts`."""

    text: str
    nodes: int
    line: int
    end_line: int
    parts: tuple[str, ...]


def rows(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[list[Statement]]:
    """Yield a row of statements for the module level of `tree`, and for each function and class.

    `nodes` are all nodes of `tree`.
    """
    own, of_all = _own_names(nodes), _uses(nodes)
    waiting: list[ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = [tree]
    while waiting:
        scope = waiting.pop()
        uses = _uses(nodes_of(scope)) if isinstance(scope, _FUNCTIONS) else of_all
        leveller = _Leveller(own, uses)
        row = list(leveller.statements(scope.body))
        waiting += leveller.inner
        if row:
            yield row


def _own_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names of attributes and arguments that the program itself defines."""
    names = set()
    for node in nodes:
        if isinstance(node, _SCOPES):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        if isinstance(node, ast.ClassDef):  # for the fields of dataclasses
            names.update(_fields(node))
    return frozenset(names)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


class _Uses(NamedTuple):
    """How often each name of a scope is set, and read; a call such as `x.append()` is no read."""

    stores: Counter[str]
    loads: Counter[str]


def _uses(nodes: Iterable[ast.AST]) -> _Uses:
    stores, loads = Counter[str](), Counter[str]()
    for node in nodes:
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores)[node.id] += 1
        elif isinstance(node, ast.Expr) and (name := _changed(node)) is not None:
            loads[name] -= 1
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            loads.update(dict.fromkeys(node.names, 2))  # other functions may read it
        elif isinstance(node, ast.arg):
            loads[node.arg] += 2  # the caller may read the object
    return _Uses(stores, loads)


def _changed(node: ast.Expr) -> str | None:
    """Return the name of the object that a statement calls a method of, such as `x.append(1)`."""
    match node.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name
        case _:
            return None


class _Leveller:
    """Levels the statements of one function, class or module."""

    def __init__(self, own: frozenset[str], uses: _Uses) -> None:
        self._own: Final = own
        self._uses: Final = uses
        self._put_in: dict[str, ast.expr] = {}
        """The value of each variable that is read only once, in the next statement."""
        self._parts: list[str] = []
        self.inner: Final[list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]] = []
        """Inner functions and classes, which have rows of their own."""

    # Statements

    def statements(self, block: Sequence[ast.stmt]) -> Iterator[Statement]:
        """Yield the statements of `block`, compound ones before their blocks."""
        for node in self._joined(list(plain(block, self._uses.loads))):
            if isinstance(node, _SCOPES):
                self.inner.append(node)
                continue
            end_line = None if _blocks(node) is None else node.lineno
            yield self._statement(node, self._header(node), end_line)
            for inner in _blocks(node) or ():
                yield from self.statements(inner)

    def _joined(self, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements, without assignments whose value is inlined in the next one."""
        for number, node in enumerate(block):
            if self._is_idle(node):
                continue
            name = _single_target(node)
            if name is not None:
                after = block[number + 1] if number + 1 < len(block) else None
                if self._is_passed_on(name, after):
                    assert isinstance(node, ast.Assign), "it has a single target"
                    self._put_in[name] = node.value
                    continue
            yield node

    def _is_idle(self, node: ast.stmt) -> bool:
        """Return whether it only sets, or changes, a variable that nobody reads."""
        if isinstance(node, ast.Expr):
            name = _changed(node)
            return name is not None and self._uses.stores[name] > 0 >= self._uses.loads[name]
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return not self._uses.loads[name] and not _calls(value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                return not self._uses.loads[name] and not _calls(value)
        return False

    def _is_passed_on(self, name: str, after: ast.stmt | None) -> bool:
        """Return whether the variable is set once, and read once, in the header of `after`."""
        # The condition of `while` is evaluated repeatedly, so its variables cannot be inlined.
        if after is None or isinstance(after, (*_SCOPES, ast.While, ast.Try)):
            return False
        if (self._uses.stores[name], self._uses.loads[name]) != (1, 1):
            return False
        return any(
            isinstance(node, ast.Name) and node.id == name
            for part in _header_parts(after)
            for node in nodes_of(part)
        )

    def _statement(self, node: ast.stmt, spelled: Spelled, end_line: int | None) -> Statement:
        parts, self._parts = tuple(self._parts), []
        end_line = end_line or node.end_lineno or node.lineno
        return Statement(*spelled, node.lineno, end_line, parts)

    def _header(self, node: ast.stmt) -> Spelled:
        if isinstance(node, ast.Assign):
            return self._all("=", [*node.targets, node.value])
        if isinstance(node, ast.AugAssign):
            value = ast.BinOp(node.target, node.op, node.value)
            return self._all("=", [node.target, value])
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            # The order of imports means nothing, and aliases are names.
            names = sorted(each.name for each in node.names)
            return f"import {getattr(node, 'module', '')} {names}", 1
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._all("for", [node.target, _items(node.iter)])
        if isinstance(node, ast.Match):
            return self._all("match", [node.subject])
        return self._all(type(node).__name__, _header_parts(node))

    def _all(self, head: str, parts: Iterable[ast.AST]) -> Spelled:
        spelled = [self.spell(each) for each in parts]
        return _joined(head, spelled)

    # Expressions

    def spell(self, node: ast.AST) -> Spelled:
        """Return the levelled expression `node` as text."""
        speller = _SPELLERS.get(type(node))
        text, nodes = speller(self, node) if speller else self._other(node)
        if nodes >= _LEAST_PART:
            self._parts.append(text)
        return text, nodes

    def _other(self, node: ast.AST) -> Spelled:
        spelled = [self.spell(each) for each in ast.iter_child_nodes(node)]
        return _joined(type(node).__name__, spelled)

    def _name(self, node: ast.Name) -> Spelled:
        if node.id in self._put_in and isinstance(node.ctx, ast.Load):
            return self.spell(self._put_in.pop(node.id))
        is_known = node.id in _BUILT_IN and not self._uses.stores[node.id]
        return (node.id if is_known and node.id not in self._own else "N"), 1

    def _constant(self, node: ast.Constant) -> Spelled:
        value = node.value
        if value is None or isinstance(value, bool):
            return str(value), 1
        return ("S" if isinstance(value, (str, bytes)) else "0"), 1

    def _attribute(self, node: ast.Attribute) -> Spelled:
        text, nodes = self.spell(node.value)
        return f"{text}.{'A' if node.attr in self._own else node.attr}", nodes + 1

    def _binary(self, node: ast.BinOp) -> Spelled:
        if not isinstance(node.op, _COMMUTES):
            return self._all(type(node.op).__name__, [node.left, node.right])
        # Chains such as `a + b + c` are flattened, so that all operands can be sorted.
        operands: list[ast.expr] = []
        waiting: list[ast.expr] = [node]
        while waiting:
            each = waiting.pop()
            if isinstance(each, ast.BinOp) and type(each.op) is type(node.op):
                waiting += (each.right, each.left)
            else:
                operands.append(each)
        return _joined(type(node.op).__name__, sorted(map(self.spell, operands)))

    def _bool(self, node: ast.BoolOp) -> Spelled:
        return _joined(type(node.op).__name__, sorted(map(self.spell, node.values)))

    def _unary(self, node: ast.UnaryOp) -> Spelled:
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            opposite = _OPPOSITE[type(inner.ops[0])]()
            return self._compare(ast.Compare(inner.left, [opposite], inner.comparators))
        if isinstance(inner, ast.Constant):
            return self.spell(inner)
        return self._all(type(node.op).__name__, [inner])

    def _compare(self, node: ast.Compare) -> Spelled:
        sides = [self.spell(each) for each in (node.left, *node.comparators)]
        names = [_MIRRORED.get(type(each), type(each).__name__) for each in node.ops]
        if len(names) == 1:
            if type(node.ops[0]) in _MIRRORED:
                sides.reverse()
            elif names[0] in _EITHER_WAY:
                sides.sort()
        elif all(type(each) in _MIRRORED for each in node.ops):
            sides.reverse()
        return _joined(" ".join(names), sides)

    def _call(self, node: ast.Call) -> Spelled:
        # Their order means nothing; `**` has no name.
        named = [each.value for each in sorted(node.keywords, key=lambda each: each.arg or "")]
        return self._all("call", [node.func, *node.args, *named])

    def _unordered(self, node: ast.Set) -> Spelled:
        return _joined("set", sorted(map(self.spell, node.elts)))


_Speller: TypeAlias = Callable[..., Spelled]
_SPELLERS: Final[dict[type[ast.AST], _Speller]] = {
    ast.Name: _Leveller._name,  # noqa: SLF001 - a table of its methods
    ast.Constant: _Leveller._constant,  # noqa: SLF001
    ast.Attribute: _Leveller._attribute,  # noqa: SLF001
    ast.BinOp: _Leveller._binary,  # noqa: SLF001
    ast.BoolOp: _Leveller._bool,  # noqa: SLF001
    ast.UnaryOp: _Leveller._unary,  # noqa: SLF001
    ast.Compare: _Leveller._compare,  # noqa: SLF001
    ast.Call: _Leveller._call,  # noqa: SLF001
    ast.Set: _Leveller._unordered,  # noqa: SLF001
    ast.Load: lambda *_: ("", 0),
    ast.Store: lambda *_: ("", 0),
    ast.Del: lambda *_: ("", 0),
}


def _joined(head: str, spelled: Sequence[Spelled]) -> Spelled:
    # Contexts, such as `Load`, have no nodes.
    inside = ",".join(text for text, nodes in spelled if nodes)
    return f"{head}({inside})", 1 + sum(nodes for _, nodes in spelled)


def _items(node: ast.expr) -> ast.expr:
    """Return the iterable of a loop, without `list(...)` or the default start of `range`."""
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple" | "iter"), args=[inner]):
            return inner
        case ast.Call(func=ast.Name(id="range") as func, args=[ast.Constant(value=0), end]):
            return ast.Call(func, [end], [])
    return node


def _header_parts(node: ast.stmt) -> list[ast.AST]:
    """Return the expressions of a statement, without its blocks."""
    parts: list[ast.AST] = []
    for _, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            parts += [each] if isinstance(each, (ast.expr, ast.withitem)) else []
    return parts


def _blocks(node: ast.stmt) -> list[list[ast.stmt]] | None:
    """Return the blocks of a compound statement, None for a simple one."""
    found = [
        block for name in ("body", "orelse", "finalbody") if (block := getattr(node, name, None))
    ]
    found += [each.body for each in getattr(node, "handlers", ())]
    found += [each.body for each in getattr(node, "cases", ())]
    return found or None


def _single_target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None


def _calls(node: ast.AST) -> bool:
    return any(isinstance(each, (ast.Call, ast.Await, ast.Yield)) for each in nodes_of(node))
