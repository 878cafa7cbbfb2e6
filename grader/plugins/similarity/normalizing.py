"""Normalizes programs, so that the usual disguises of a copy make no difference.

This module runs in an executor, and does not run the programs. It normalizes names and literals,
the order of operands, split or merged statements, dead code, and loops with manual counters. The
result for a function is a row of statements as text. The text of a compound statement omits its
blocks, whose statements follow it in the row.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from grader.plugins.similarity.blocks import normalize_block, walk_nodes

_BUILT_IN: Final = frozenset(dir(builtins))
_COMMUTATIVE: Final = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor)
_MIRROR_NAMES: Final = {ast.Gt: "Lt", ast.GtE: "LtE"}  # `a > b` is written as `b < a`
_SYMMETRIC: Final = ("Eq", "NotEq", "Is", "IsNot")
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
_MIN_PART_NODES: Final = 7
"""Expressions with at least this many nodes are separate fragments."""
Spelling: TypeAlias = tuple[str, int]
"""An expression as text, and its number of nodes."""


class Statement(NamedTuple):
    """A normalized statement as text, with its large expressions in `parts`."""

    text: str
    nodes: int
    line: int
    end_line: int
    parts: tuple[str, ...]


def rows(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[list[Statement]]:
    """Yield a row of statements for the top level of `tree`, and for each function and class.

    `nodes` are all nodes of `tree`. Empty rows are omitted.
    """
    defined_names, module_uses = _defined_names(nodes), _count_uses(nodes)
    waiting: list[ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = [tree]
    while waiting:
        scope = waiting.pop()
        uses = _count_uses(walk_nodes(scope)) if isinstance(scope, _FUNCTIONS) else module_uses
        normalizer = _Normalizer(defined_names, uses)
        row = list(normalizer.statements(scope.body))
        waiting += normalizer.inner
        if row:
            yield row


def _defined_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that the program defines and that can follow a dot or name an argument."""
    names = set()
    for node in nodes:
        if isinstance(node, _SCOPES):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        if isinstance(node, ast.ClassDef):  # the class might be a dataclass with these fields
            names.update(_fields(node))
    return frozenset(names)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that are assigned in the body of a class."""
    for statement in node.body:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [getattr(statement, "target", None)]
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


class _Uses(NamedTuple):
    """How often each name of a scope is set and read. Calling `x.append()` does not read `x`."""

    stores: Counter[str]
    loads: Counter[str]


def _count_uses(nodes: Iterable[ast.AST]) -> _Uses:
    """Count how often each name is set and read in `nodes`.

    A statement such as `x.append(1)` does not count as reading `x`.
    """
    stores, loads = Counter[str](), Counter[str]()
    for node in nodes:
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores)[node.id] += 1
        elif isinstance(node, ast.Expr) and (name := _changed_name(node)) is not None:
            loads[name] -= 1
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            loads.update(dict.fromkeys(node.names, 2))  # other functions might read the variable
        elif isinstance(node, ast.arg):
            loads[node.arg] += 2  # the caller might read the object
    return _Uses(stores, loads)


def _changed_name(node: ast.Expr) -> str | None:
    """Return the name `x` for a statement such as `x.append(1)`, or None for others."""
    match node.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name
        case _:
            return None


class _Normalizer:
    """Normalizes the statements of one function, class or module."""

    def __init__(self, defined_names: frozenset[str], uses: _Uses) -> None:
        self._defined_names: Final = defined_names
        self._uses: Final = uses
        self._inlined_values: dict[str, ast.expr] = {}
        """The values to inline, keyed by variables that are read only once, in the next
        statement."""
        self._parts: list[str] = []
        self.inner: Final[list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]] = []
        """Inner functions and classes, which have separate rows."""

    # Statements

    def statements(self, block: Sequence[ast.stmt]) -> Iterator[Statement]:
        """Yield the normalized statements of `block`. A compound statement precedes its blocks.

        Inner functions and classes are appended to `inner` instead.
        """
        for node in self._without_inlined(list(normalize_block(block, self._uses.loads))):
            if isinstance(node, _SCOPES):
                self.inner.append(node)
                continue
            # The blocks of a compound statement follow as statements with their own lines.
            end_line = None if _blocks(node) is None else node.lineno
            yield self._statement(node, self._header(node), end_line)
            for inner_block in _blocks(node) or ():
                yield from self.statements(inner_block)

    def _without_inlined(self, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of `block`, without idle ones and inlined assignments.

        If only the next statement reads a variable, the value assigned to the variable is recorded
        in `_inlined_values`, to replace it in that statement.
        """
        for index, node in enumerate(block):
            if self._is_idle(node):
                continue
            name = _single_target(node)
            if name is not None:
                next_statement = block[index + 1] if index + 1 < len(block) else None
                if self._can_be_inlined(name, next_statement):
                    assert isinstance(node, ast.Assign), "only assignments have a single target"
                    self._inlined_values[name] = node.value
                    continue
            yield node

    def _is_idle(self, node: ast.stmt) -> bool:
        """Return whether `node` only sets or changes a variable that is never read."""
        if isinstance(node, ast.Expr):
            name = _changed_name(node)
            return name is not None and self._uses.stores[name] > 0 >= self._uses.loads[name]
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return not self._uses.loads[name] and not _calls(value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                return not self._uses.loads[name] and not _calls(value)
        return False

    def _can_be_inlined(self, name: str, next_statement: ast.stmt | None) -> bool:
        """Return whether `name` is set once, and read only in the header of the next statement."""
        # The condition of `while` is evaluated repeatedly, so nothing can be inlined there.
        if next_statement is None or isinstance(next_statement, (*_SCOPES, ast.While, ast.Try)):
            return False
        if (self._uses.stores[name], self._uses.loads[name]) != (1, 1):
            return False
        return any(
            isinstance(node, ast.Name) and node.id == name
            for part in _header_parts(next_statement)
            for node in walk_nodes(part)
        )

    def _statement(self, node: ast.stmt, spelling: Spelling, end_line: int | None) -> Statement:
        """Return the statement `node` with the parts collected for it, and clear these parts."""
        parts, self._parts = tuple(self._parts), []
        end_line = end_line or node.end_lineno or node.lineno
        return Statement(*spelling, node.lineno, end_line, parts)

    def _header(self, node: ast.stmt) -> Spelling:
        """Return the spelling of a simple statement, or of a compound one without its blocks."""
        if isinstance(node, ast.Assign):
            return self._join_parts("=", [*node.targets, node.value])
        if isinstance(node, ast.AugAssign):
            value = ast.BinOp(node.target, node.op, node.value)
            return self._join_parts("=", [node.target, value])
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            # The order of imports has no meaning, and aliases are ignored like other names.
            names = sorted(alias.name for alias in node.names)
            return f"import {getattr(node, 'module', '')} {names}", 1
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._join_parts("for", [node.target, _normalize_iterable(node.iter)])
        if isinstance(node, ast.Match):
            return self._join_parts("match", [node.subject])
        return self._join_parts(type(node).__name__, _header_parts(node))

    def _join_parts(self, head: str, parts: Iterable[ast.AST]) -> Spelling:
        return _join(head, [self.spell(part) for part in parts])

    # Expressions

    def spell(self, node: ast.AST) -> Spelling:
        """Return the normalized spelling of `node`, and record its text if it is large."""
        speller = _SPELLERS.get(type(node))
        text, nodes = speller(self, node) if speller else self._spell_children(node)
        if nodes >= _MIN_PART_NODES:
            self._parts.append(text)
        return text, nodes

    def _spell_children(self, node: ast.AST) -> Spelling:
        children = [self.spell(child) for child in ast.iter_child_nodes(node)]
        return _join(type(node).__name__, children)

    def _name(self, node: ast.Name) -> Spelling:
        """Return the spelling of the inlined value, a built-in's name, or `N` for other names."""
        if node.id in self._inlined_values and isinstance(node.ctx, ast.Load):
            return self.spell(self._inlined_values.pop(node.id))
        is_known = node.id in _BUILT_IN and not self._uses.stores[node.id]
        return (node.id if is_known and node.id not in self._defined_names else "N"), 1

    def _constant(self, node: ast.Constant) -> Spelling:
        """Return `S` for a string, the text of `None` or a bool, and `0` for any other constant."""
        value = node.value
        if value is None or isinstance(value, bool):
            return str(value), 1
        return ("S" if isinstance(value, (str, bytes)) else "0"), 1

    def _attribute(self, node: ast.Attribute) -> Spelling:
        text, nodes = self.spell(node.value)
        return f"{text}.{'A' if node.attr in self._defined_names else node.attr}", nodes + 1

    def _binary(self, node: ast.BinOp) -> Spelling:
        """Return the spelling of an operation, with its operands sorted if they can be swapped."""
        if not isinstance(node.op, _COMMUTATIVE):
            return self._join_parts(type(node.op).__name__, [node.left, node.right])
        # Chains such as `a + b + c` are flattened, so that all operands can be sorted.
        operands: list[ast.expr] = []
        waiting: list[ast.expr] = [node]
        while waiting:
            operand = waiting.pop()
            if isinstance(operand, ast.BinOp) and type(operand.op) is type(node.op):
                waiting += (operand.right, operand.left)
            else:
                operands.append(operand)
        return _join(type(node.op).__name__, sorted(map(self.spell, operands)))

    def _bool(self, node: ast.BoolOp) -> Spelling:
        return _join(type(node.op).__name__, sorted(map(self.spell, node.values)))

    def _unary(self, node: ast.UnaryOp) -> Spelling:
        """Return the spelling of a unary operation.

        A negated comparison becomes the opposite comparison. An operator on a constant is omitted.
        """
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            opposite = _OPPOSITE[type(inner.ops[0])]()
            return self._compare(ast.Compare(inner.left, [opposite], inner.comparators))
        if isinstance(inner, ast.Constant):
            return self.spell(inner)
        return self._join_parts(type(node.op).__name__, [inner])

    def _compare(self, node: ast.Compare) -> Spelling:
        """Return the spelling of a comparison, with its sides in a canonical order."""
        sides = [self.spell(side) for side in (node.left, *node.comparators)]
        names = [_MIRROR_NAMES.get(type(op), type(op).__name__) for op in node.ops]
        if len(names) == 1:
            if type(node.ops[0]) in _MIRROR_NAMES:
                sides.reverse()
            elif names[0] in _SYMMETRIC:
                sides.sort()
        elif all(type(op) in _MIRROR_NAMES for op in node.ops):
            sides.reverse()
        return _join(" ".join(names), sides)

    def _call(self, node: ast.Call) -> Spelling:
        # Keywords are sorted, as their order has no meaning. `**` has no name.
        keywords = sorted(node.keywords, key=lambda keyword: keyword.arg or "")
        values = [keyword.value for keyword in keywords]
        return self._join_parts("call", [node.func, *node.args, *values])

    def _unordered(self, node: ast.Set) -> Spelling:
        return _join("set", sorted(map(self.spell, node.elts)))


_Speller: TypeAlias = Callable[..., Spelling]
_SPELLERS: Final[dict[type[ast.AST], _Speller]] = {
    ast.Name: _Normalizer._name,  # noqa: SLF001 - a table of its methods
    ast.Constant: _Normalizer._constant,  # noqa: SLF001
    ast.Attribute: _Normalizer._attribute,  # noqa: SLF001
    ast.BinOp: _Normalizer._binary,  # noqa: SLF001
    ast.BoolOp: _Normalizer._bool,  # noqa: SLF001
    ast.UnaryOp: _Normalizer._unary,  # noqa: SLF001
    ast.Compare: _Normalizer._compare,  # noqa: SLF001
    ast.Call: _Normalizer._call,  # noqa: SLF001
    ast.Set: _Normalizer._unordered,  # noqa: SLF001
    ast.Load: lambda *_: ("", 0),
    ast.Store: lambda *_: ("", 0),
    ast.Del: lambda *_: ("", 0),
}


def _join(head: str, spellings: Sequence[Spelling]) -> Spelling:
    # Contexts such as `Load` count no nodes, and are omitted.
    inner_text = ",".join(text for text, nodes in spellings if nodes)
    return f"{head}({inner_text})", 1 + sum(nodes for _, nodes in spellings)


def _normalize_iterable(node: ast.expr) -> ast.expr:
    """Return the iterable of a loop, without `list`, `tuple` or `iter` around it.

    The default start of a `range` is omitted too.
    """
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple" | "iter"), args=[inner]):
            return inner
        case ast.Call(func=ast.Name(id="range") as func, args=[ast.Constant(value=0), end]):
            return ast.Call(func, [end], [])
    return node


def _header_parts(node: ast.stmt) -> list[ast.AST]:
    """Return the expressions and `with` items of the statement `node`, without its blocks."""
    parts: list[ast.AST] = []
    for _, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            parts += [part] if isinstance(part, (ast.expr, ast.withitem)) else []
    return parts


def _blocks(node: ast.stmt) -> list[list[ast.stmt]] | None:
    """Return the blocks of a compound statement, or None for a simple one."""
    blocks = [
        block for name in ("body", "orelse", "finalbody") if (block := getattr(node, name, None))
    ]
    blocks += [handler.body for handler in getattr(node, "handlers", ())]
    blocks += [case.body for case in getattr(node, "cases", ())]
    return blocks or None


def _single_target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None


def _calls(node: ast.AST) -> bool:
    return any(isinstance(inner, (ast.Call, ast.Await, ast.Yield)) for inner in walk_nodes(node))
