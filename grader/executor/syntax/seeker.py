"""Finds what rules look for besides constructs: a name, an attribute, an operator, a literal.

- A *name* counts where it is read, whether it is called or not. It refers to a built-in or imported
  object, even under an alias, or to one that the module itself defines. Annotations do not count.
- An *attribute* follows a dot, or is a string passed to `getattr`, `attrgetter` or `methodcaller`.
  After an imported module it counts as a name instead: `itertools.count`. An attribute that a
  method reads from `self` is the submission's own if its class defines it. Any other object might
  be an instance of that class, so a use of that attribute on another object is in doubt.
- An *operator* has an operand on each side, except `not` and `~`; `+=` counts as `+`.
- A *literal* matches by value and type, however it is written.

A use in unreachable code is in doubt, too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from grader.executor.syntax import constructs
from grader.executor.syntax.constructs import CERTAIN, Use, is_counted_constant
from grader.executor.syntax.names import resolve_name
from grader.executor.syntax.nodes import all_parameters
from grader.executor.syntax.running import find_unreachable_nodes
from grader.executor.syntax.tree import Module, Scope, ScopeKind, Visit

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
"""Functions that get the name of an attribute as a string, and the index of that argument."""
OWN: Final = "own"
"""The `doubt` of an attribute that the submission might define itself."""
DEAD: Final = "dead"
"""The `doubt` of a use in unreachable code."""


class TermSeeker:
    """Finds the uses of search terms in the modules of a submission."""

    def __init__(
        self,
        search_terms: Iterable[tuple[str, str, Sequence[str]]] | None,
        modules: Collection[Module],
    ) -> None:
        """Look for the `search_terms`, or for all constructs if it is None.

        Each search term is a (word, kind, meanings).
        """
        self._words_by_key: Final[dict[tuple[str, object], str]] = {}
        for word, kind, meanings in search_terms or ():
            for text in meanings:
                meaning = _literal_key(ast.literal_eval(text)) if kind == "literal" else text
                self._words_by_key[kind, meaning] = word
        self._finds_all_constructs: Final = search_terms is None
        self._class_members: Final = _class_members(modules)
        self._own_attributes: Final = {
            name for names in self._class_members.values() for name in names
        }

    def find_uses(self, module: Module) -> Iterator[Use]:
        """Yield each use in `module`; a use in unreachable code is marked as `DEAD`."""
        dead_spans = [
            module.source.span(node)
            for node in find_unreachable_nodes(module)
            if isinstance(node, ast.stmt)
        ]
        for use in self._uses_with_dead_code(module):
            start = use.span[1:3]
            is_dead = any(span[1:3] <= start < span[3:5] for span in dead_spans)
            yield use._replace(doubt=DEAD) if is_dead else use

    def _uses_with_dead_code(self, module: Module) -> Iterator[Use]:
        """Yield each use in `module`, including those in unreachable code."""
        for construct in constructs.find_constructs(module):
            if self._finds_all_constructs or ("construct", construct.word) in self._words_by_key:
                yield construct
        if not self._words_by_key:
            return
        for visit in module.visits:
            for key in _search_keys(visit):
                if (word := self._words_by_key.get(key)) is not None:
                    doubt = self._doubt(visit) if key[0] == "attribute" else CERTAIN
                    if doubt is not None:
                        node: Any = visit.node
                        span = module.source.span(node)
                        yield Use(word, span, visit.owner, doubt=doubt)

    def _doubt(self, visit: Visit) -> str | None:
        """Return `CERTAIN` if the attribute at `visit` counts, or `OWN` if that is in doubt.

        Return None if it does not count, because the class of its object defines it.
        """
        node: Any = visit.node
        if not isinstance(node, ast.Attribute) or node.attr not in self._own_attributes:
            return CERTAIN
        class_scope = _class_of_self_attribute(node, visit)
        if node.attr in self._class_members.get(class_scope, ()):
            return None
        is_literal = isinstance(node.value, ast.Constant | ast.List | ast.Dict | ast.Set)
        return CERTAIN if is_literal else OWN


def _search_keys(visit: Visit) -> Iterator[tuple[str, object]]:
    """Yield each (kind, meaning) that a rule can look for at `visit`, such as ("operator", "+")."""
    node: Any = visit.node
    match node:
        case ast.Name() | ast.Attribute():
            yield from (("name", name) for name in _full_names_read(visit))
            if isinstance(node, ast.Attribute) and not _is_module(node.value, visit.scope):
                yield "attribute", node.attr
        case ast.Call(func=function, args=[*args]):
            index = _NAME_ARGUMENTS.get(resolve_name(function, visit.scope) or "", len(args))
            match args[index : index + 1]:
                case [ast.Constant(value=str() as name)] if not _is_module(args[0], visit.scope):
                    yield "attribute", name
            yield from (("name", name) for name in _full_names_read(visit))
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            if (symbol := _OPERATORS.get(type(op))) is not None:
                yield "operator", symbol
        case ast.Compare(ops=ops):
            yield from (("operator", _OPERATORS[type(op)]) for op in ops)
        case ast.Constant(value=value) if is_counted_constant(visit):
            yield "literal", _literal_key(value)


def _full_names_read(visit: Visit) -> Iterator[str]:
    """Yield the full names that the object read at `visit` might have, if any."""
    full_name = constructs.resolve_read(visit)
    if full_name is not None:
        yield full_name
    node, scope = visit.node, visit.scope
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not visit.in_annotation:
        defining_scope = scope.defining_scope(node.id)
        if defining_scope is scope.module.scope and node.id not in defining_scope.imports:
            yield f"{scope.module.name}.{node.id}"
        elif defining_scope is None:
            yield from (f"{module}.{node.id}" for module in scope.module.star_imports)


def _is_module(node: ast.AST, scope: Scope) -> bool:
    """Return whether `node` refers to an imported module from outside the submission."""
    full_name = resolve_name(node, scope)
    return full_name is not None and (
        full_name in sys.modules or full_name in sys.stdlib_module_names
    )


def _class_of_self_attribute(node: ast.Attribute, visit: Visit) -> Scope | None:
    """Return the scope of the class if `node` is an attribute of a method's `self`, or None."""
    if visit.owner is None or not isinstance(node.value, ast.Name):
        return None
    parent = visit.owner.scope.parent
    first = next(all_parameters(visit.owner.node.args), None)
    is_self = first is not None and first.arg == node.value.id
    is_method = parent is not None and parent.kind is ScopeKind.CLASS
    return parent if is_self and is_method else None


def _class_members(modules: Collection[Module]) -> dict[Scope | None, set[str]]:
    """Return the names of the attributes that classes define for their objects, by class scope."""
    members: dict[Scope | None, set[str]] = {
        cls.scope: {*cls.scope.bindings} for module in modules for cls in module.classes
    }
    for module in modules:
        for visit in module.visits:
            node = visit.node
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                # If the object is not a `self`, the name is added to a set that nobody keeps.
                members.get(_class_of_self_attribute(node, visit), set()).add(node.attr)
    return members


def _literal_key(value: object) -> object:
    """Return a key for a literal, with its type, because `1`, `1.0` and `True` are equal."""
    return type(value), value
