"""Finds what rules look for besides constructs: a name, an attribute, an operator, a literal.

- A *name* is read, called or not, and means a built-in or imported object, under any alias too, or
  one that the module itself defines. Annotations do not count.
- An *attribute* follows a dot, or is a text in `getattr`, `attrgetter` and `methodcaller`. For an
  imported module it counts as a name instead: `itertools.count`. An attribute that a method reads
  of its own object is the submission's own if its class defines it; then any other object may be
  of that class, so a use on one is in doubt.
- An *operator* has an operand on each side, except `not` and `~`; `+=` is a `+`.
- A *literal* has the same value and the same type, however it is written.

A use in unreachable code is in doubt as well.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from grader.executor.syntax import constructs
from grader.executor.syntax.constructs import CERTAIN, Use, is_written_value
from grader.executor.syntax.names import dotted
from grader.executor.syntax.running import unreachable
from grader.executor.syntax.tree import Module, Scope, ScopeKind, Visit, all_parameters

_OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.And: "and",
    ast.Or: "or",
}
_NAME_ARGUMENTS: Final = {
    "builtins.getattr": 1,
    "operator.attrgetter": 0,
    "operator.methodcaller": 0,
}
"""Functions that take the name of an attribute as a string, and the index of that argument."""
OWN: Final = "own"
DEAD: Final = "dead"


class Seeker:
    """Finds the uses of sought words in the modules of a submission."""

    def __init__(
        self,
        sought: Iterable[tuple[str, str, Sequence[str]]] | None,
        modules: Collection[Module],
    ) -> None:
        """Seek the `sought` words, each with its kind and meanings; None means all constructs."""
        self._words: Final[dict[tuple[str, object], str]] = {}
        for word, kind, meanings in sought or ():
            for each in meanings:
                meaning = _normalized(ast.literal_eval(each)) if kind == "literal" else each
                self._words[kind, meaning] = word
        self._all: Final = sought is None
        self._members: Final = _members(modules)
        self._own: Final = {name for names in self._members.values() for name in names}

    def uses(self, module: Module) -> Iterator[Use]:
        """Yield each use in `module`; mark those in unreachable code."""
        dead = [
            module.source.place(node) for node in unreachable(module) if isinstance(node, ast.stmt)
        ]
        for use in self._all_uses(module):
            start = use.place[1:3]
            is_dead = any(place[1:3] <= start < place[3:5] for place in dead)
            yield use._replace(doubt=DEAD) if is_dead else use

    def _all_uses(self, module: Module) -> Iterator[Use]:
        """Yield each use in `module`, whether or not its code is reachable."""
        for construct in constructs.uses(module):
            if self._all or ("construct", construct.word) in self._words:
                yield construct
        if not self._words:
            return
        for visit in module.visits:
            for key in _search_keys(visit):
                if (word := self._words.get(key)) is not None:
                    doubt = self._doubt(visit) if key[0] == "attribute" else CERTAIN
                    if doubt is not None:
                        node: Any = visit.node
                        place = module.source.place(node)
                        yield Use(word, place, visit.owner, doubt=doubt)

    def _doubt(self, visit: Visit) -> str | None:
        """Return why the attribute at `visit` may not count; None if it is a class's own."""
        node: Any = visit.node
        if not isinstance(node, ast.Attribute) or node.attr not in self._own:
            return CERTAIN
        class_scope = _class_of_own_attribute(node, visit)
        if node.attr in self._members.get(class_scope, ()):
            return None
        is_literal = isinstance(node.value, ast.Constant | ast.List | ast.Dict | ast.Set)
        return CERTAIN if is_literal else OWN


def _search_keys(visit: Visit) -> Iterator[tuple[str, object]]:
    """Yield each (kind, meaning) by which a rule finds the node at `visit`: ("operator", "+")."""
    node: Any = visit.node
    match node:
        case ast.Name() | ast.Attribute():
            yield from (("name", name) for name in _names(visit))
            if isinstance(node, ast.Attribute) and not _is_module(node.value, visit.scope):
                yield "attribute", node.attr
        case ast.Call(func=function, args=[*args]):
            index = _NAME_ARGUMENTS.get(dotted(function, visit.scope) or "", len(args))
            match args[index : index + 1]:
                case [ast.Constant(value=str() as name)] if not _is_module(args[0], visit.scope):
                    yield "attribute", name
            yield from (("name", name) for name in _names(visit))
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            if (sign := _OPERATORS.get(type(op))) is not None:
                yield "operator", sign
        case ast.Compare(ops=ops):
            yield from (("operator", _OPERATORS[type(op)]) for op in ops)
        case ast.Constant(value=value) if is_written_value(visit):
            yield "literal", _normalized(value)


def _names(visit: Visit) -> Iterator[str]:
    """Yield the full names of the object read at `visit`."""
    full = constructs.read_name(visit)
    if full is not None:
        yield full
    node, scope = visit.node, visit.scope
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not visit.in_annotation:
        home = scope.home(node.id)
        if home is scope.module.scope and node.id not in home.imports:
            yield f"{scope.module.name}.{node.id}"
        elif home is None:
            yield from (f"{module}.{node.id}" for module in scope.module.stars)


def _is_module(node: ast.AST, scope: Scope) -> bool:
    """Return whether `node` is an imported module that is not the submission's own."""
    full = dotted(node, scope)
    return full is not None and (full in sys.modules or full in sys.stdlib_module_names)


def _class_of_own_attribute(node: ast.Attribute, visit: Visit) -> Scope | None:
    """Return the scope of the class if `node` is an attribute of a method's `self`, else None."""
    if visit.owner is None or not isinstance(node.value, ast.Name):
        return None
    parent = visit.owner.scope.parent
    first = next(all_parameters(visit.owner.node.args), None)
    is_own = first is not None and first.arg == node.value.id
    is_method = parent is not None and parent.kind is ScopeKind.CLASS
    return parent if is_own and is_method else None


def _members(modules: Collection[Module]) -> dict[Scope | None, set[str]]:
    """Return the attributes that classes define for their objects, by class scope."""
    members: dict[Scope | None, set[str]] = {
        each.scope: {*each.scope.bound} for module in modules for each in module.classes
    }
    for module in modules:
        for visit in module.visits:
            node = visit.node
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                members.get(_class_of_own_attribute(node, visit), set()).add(node.attr)
    return members


def _normalized(value: object) -> object:
    """Return a key that equal literals share; `1`, `1.0` and `True` have different keys."""
    return type(value), value
