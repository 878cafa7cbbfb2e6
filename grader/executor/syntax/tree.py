"""Walks the syntax tree of a module once, and visits each node with its scope and its function.

The header of a function, with its decorators and defaults, is evaluated in the enclosing scope, but
counts as part of the function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, NamedTuple, TypeAlias

from grader.executor.syntax.nodes import (
    FunctionNode,
    all_parameters,
    child_nodes,
    element_expressions,
    is_elif,
)
from grader.executor.syntax.source import ModuleText

_BLOCKS: Final = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.Try, ast.TryStar, ast.Match),
)


class ScopeKind(Enum):
    """The kinds of scopes."""

    MODULE = auto()
    CLASS = auto()
    FUNCTION = auto()
    """A function or a lambda."""
    COMPREHENSION = auto()


@dataclass(slots=True, eq=False)
class Scope:
    """A scope and the names bound in it."""

    kind: ScopeKind
    parent: Scope | None
    module: Module
    function: Function | None = None
    """The function whose scope this is; None for a lambda, a class, a comprehension or a module."""
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """The full name of each imported name, even if the name is also bound in other ways."""
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def bind(self, name: str, binding: Binding) -> None:
        """Record that `name` is bound here to `binding`."""
        self.bindings.setdefault(name, []).append(binding)
        if isinstance(binding, Imported):
            self.imports[name] = binding.full_name

    def defining_scope(self, name: str) -> Scope | None:
        """Return the scope that binds a `name` read here, or None if it is built-in or unknown."""
        root = self.module.scope
        current: Scope | None = self
        while current is not None:
            if name in current.globals:
                return root if name in root.bindings else None
            # Functions in a class cannot see the names bound in the class body.
            is_visible = current is self or current.kind is not ScopeKind.CLASS
            if is_visible and name in current.bindings and name not in current.nonlocals:
                return current
            current = current.parent
        return None


@dataclass(slots=True, eq=False)
class Function:
    """A function, method or nested function."""

    name: str
    """The dotted name, including the module."""
    node: FunctionNode
    scope: Scope
    """The scope of its body."""
    max_nesting: int = 0
    """The maximum number of blocks in it that enclose each other, which the walk records."""


@dataclass(slots=True, eq=False)
class Class:
    """A class; the names bound in its scope are its members."""

    name: str
    node: ast.ClassDef
    scope: Scope


@dataclass(frozen=True, slots=True)
class Imported:
    """The target of an import: the dotted name of a module, or of an object in one."""

    full_name: str


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """The expression assigned to a name, and the scope in which it is evaluated."""

    value: ast.expr
    scope: Scope


Binding: TypeAlias = Function | Class | Imported | Assigned | None
"""None if the value is unknown, for example for a parameter or a loop variable."""


class Visit(NamedTuple):
    """One node, as visited on the walk."""

    node: ast.AST
    parent: ast.AST | None
    scope: Scope
    owner: Function | None
    """The function that the node belongs to."""
    block_depth: int
    """How many blocks within that function enclose the node."""
    in_annotation: bool


class Module:
    """A module, and the results of the walk over its tree."""

    def __init__(self, name: str, source: ModuleText, tree: ast.Module) -> None:
        """Walk over `tree`, which was parsed from `source`, and store the results."""
        self.name: Final = name
        self.source: Final = source
        self.tree: Final = tree
        self.scope: Final = Scope(ScopeKind.MODULE, None, self)
        self.star_imports: Final[list[str]] = []
        """The modules that `from ... import *` imports, by full name."""
        self.functions: Final[list[Function]] = []
        self.classes: Final[list[Class]] = []
        self.inner_scopes: Final[dict[ast.AST, Scope]] = {}
        """The scopes of lambdas and comprehensions."""
        self.visits: Final = list(_Walk(self).visits())

    def absolute_name(self, name: str, level: int) -> str:
        """Return the full name of the module `name` in an import with `level` leading dots."""
        if not level:
            return name
        package = self.name.split(".")[:-level]
        return ".".join([*package, name]) if name else ".".join(package)


class _Walk:
    """The walk itself, with a handler for each kind of node that creates a scope or binds names.

    A handler binds the names, and yields visits of the child nodes in the order of evaluation.
    """

    def __init__(self, module: Module) -> None:
        self._module: Final = module
        self._scopes: Final = [module.scope]
        self._names: Final[dict[Scope, str]] = {module.scope: module.name}
        """The prefix of function names in each scope."""

    def visits(self) -> Iterator[Visit]:
        """Yield all nodes, parents before their children; then apply `global` and `nonlocal`."""
        module = self._module
        stack = [Visit(module.tree, None, module.scope, None, 0, in_annotation=False)]
        while stack:
            visit = stack.pop()
            yield visit
            handle = _HANDLERS.get(type(visit.node))
            children = list(_children(visit)) if handle is None else list(handle(self, visit))
            stack.extend(reversed(children))
        # Only now: a name can be bound in its real scope after the function that declares it.
        for scope in self._scopes:
            _move_declared_bindings(scope)

    def _new_scope(self, kind: ScopeKind, parent: Scope, name: str | None = None) -> Scope:
        """Create a scope in `parent`; `name` is the prefix of function names in it."""
        scope = Scope(kind, parent, self._module)
        self._scopes.append(scope)
        self._names[scope] = self._names[parent] if name is None else name
        return scope

    def visit_function(self, visit: Visit) -> Iterator[Visit]:
        """Create the scope of a function, and bind its name and its parameters."""
        node: Any = visit.node
        outer = visit.scope
        is_global = node.name in outer.globals
        name = f"{self._module.name if is_global else self._names[outer]}.{node.name}"
        scope = self._new_scope(ScopeKind.FUNCTION, outer, f"{name}.<locals>")
        function = scope.function = Function(name, node, scope)
        outer.bind(node.name, function)
        self._module.functions.append(function)
        header = visit._replace(parent=node, owner=function, block_depth=0)
        yield from _visit_each(header, node.decorator_list)
        yield from self._bind_parameters(header, scope)
        body = header._replace(scope=scope)
        yield from _visit_each(body, getattr(node, "type_params", ()))
        yield from _visit_each(header._replace(in_annotation=True), [node.returns])
        yield from _visit_each(body, node.body)

    def visit_lambda(self, visit: Visit) -> Iterator[Visit]:
        """Create the scope of a lambda, and bind its parameters."""
        node: Any = visit.node
        scope = self._module.inner_scopes[node] = self._new_scope(ScopeKind.FUNCTION, visit.scope)
        header = visit._replace(parent=node)
        yield from self._bind_parameters(header, scope)
        yield header._replace(node=node.body, scope=scope)

    def _bind_parameters(self, header: Visit, scope: Scope) -> Iterator[Visit]:
        """Bind the parameters of `header.parent` in `scope`; yield annotations and defaults."""
        node: Any = header.parent
        for parameter in all_parameters(node.args):
            scope.bind(parameter.arg, None)
            annotation = header._replace(parent=parameter, in_annotation=True)
            yield from _visit_each(annotation, [parameter.annotation])
        yield from _visit_each(header, [*node.args.defaults, *node.args.kw_defaults])

    def visit_class(self, visit: Visit) -> Iterator[Visit]:
        """Create the scope of a class, and bind its name."""
        node: Any = visit.node
        outer = visit.scope
        name = f"{self._names[outer]}.{node.name}"
        scope = self._new_scope(ScopeKind.CLASS, outer, name)
        cls = Class(name, node, scope)
        outer.bind(node.name, cls)
        self._module.classes.append(cls)
        header = visit._replace(parent=node)
        yield from _visit_each(header, [*node.decorator_list, *node.bases, *node.keywords])
        body = header._replace(scope=scope)
        yield from _visit_each(body, [*getattr(node, "type_params", ()), *node.body])

    def visit_comprehension(self, visit: Visit) -> Iterator[Visit]:
        """Create the scope of a comprehension."""
        node: Any = visit.node
        scope = self._module.inner_scopes[node] = self._new_scope(
            ScopeKind.COMPREHENSION, visit.scope
        )
        inside = visit._replace(parent=node, scope=scope)
        for index, generator in enumerate(node.generators):
            part = inside._replace(parent=generator)
            # Python evaluates the first iterable in the enclosing scope.
            yield part._replace(node=generator.iter, scope=scope if index else visit.scope)
            yield from _visit_each(part, [generator.target, *generator.ifs])
        yield from _visit_each(inside, element_expressions(node))

    def visit_walrus(self, visit: Visit) -> Iterator[Visit]:
        """Bind the target of `:=`, which in a comprehension belongs to the enclosing scope."""
        node: Any = visit.node
        scope = visit.scope
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:  # PEP 572
            scope = scope.parent
        scope.bind(node.target.id, Assigned(node.value, visit.scope))
        yield visit._replace(node=node.target, parent=node, scope=scope)
        yield visit._replace(node=node.value, parent=node)

    def visit_assignment(self, visit: Visit) -> Iterator[Visit]:
        """Bind the targets of an assignment that are plain names.

        At the top level, an assignment to an entry of a table binds the name of the table.
        """
        node: Any = visit.node
        is_top_level = visit.scope.kind is ScopeKind.MODULE
        for target in node.targets:
            match target:
                case ast.Name(id=name):
                    visit.scope.bind(name, Assigned(node.value, visit.scope))
                # `table["key"] = function` at the top level adds a function to a table.
                case ast.Subscript(value=ast.Name(id=name)) if is_top_level:
                    visit.scope.bind(name, Assigned(node.value, visit.scope))
        yield from _children(visit)

    def visit_annotated_assignment(self, visit: Visit) -> Iterator[Visit]:
        """Bind the target of an annotated assignment if it is a plain name."""
        node: Any = visit.node
        if isinstance(node.target, ast.Name):
            value = node.value
            visit.scope.bind(node.target.id, value and Assigned(value, visit.scope))
        part = visit._replace(parent=node)
        yield from _visit_each(part, [node.target, node.value])
        yield part._replace(node=node.annotation, in_annotation=True)

    def visit_name(self, visit: Visit) -> Iterator[Visit]:
        """Bind a name that is assigned or deleted, unless the handler of its parent binds it."""
        node: Any = visit.node
        is_bound_by_parent = isinstance(visit.parent, ast.Assign | ast.AnnAssign | ast.NamedExpr)
        if not is_bound_by_parent and not isinstance(node.ctx, ast.Load):
            visit.scope.bind(node.id, None)
        yield from ()

    def visit_import(self, visit: Visit) -> Iterator[Visit]:
        """Bind the names of an `import` statement."""
        node: Any = visit.node
        for alias in node.names:
            top = alias.name.partition(".")[0]
            full_name = top if alias.asname is None else alias.name
            visit.scope.bind(alias.asname or top, Imported(full_name))
        yield from ()

    def visit_import_from(self, visit: Visit) -> Iterator[Visit]:
        """Bind the names of a `from` import, or record the module of a star import."""
        node: Any = visit.node
        module = self._module.absolute_name(node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self._module.star_imports.append(module)
                continue
            full_name = f"{module}.{alias.name}" if module else alias.name
            visit.scope.bind(alias.asname or alias.name, Imported(full_name))
        yield from ()

    def visit_declaration(self, visit: Visit) -> Iterator[Visit]:
        """Record the names of a `global` or `nonlocal` statement."""
        node: Any = visit.node
        scope = visit.scope
        names = scope.globals if isinstance(node, ast.Global) else scope.nonlocals
        names.update(node.names)
        yield from ()

    def visit_name_binder(self, visit: Visit) -> Iterator[Visit]:
        """Bind the name of an `except` clause, a pattern or a type parameter."""
        node: Any = visit.node
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            visit.scope.bind(name, None)
        yield from _children(visit)


_HANDLERS: Final[dict[type[ast.AST], Callable[[_Walk, Visit], Iterable[Visit]]]] = {
    ast.FunctionDef: _Walk.visit_function,
    ast.AsyncFunctionDef: _Walk.visit_function,
    ast.Lambda: _Walk.visit_lambda,
    ast.ClassDef: _Walk.visit_class,
    **dict.fromkeys(
        (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _Walk.visit_comprehension
    ),
    ast.NamedExpr: _Walk.visit_walrus,
    ast.Assign: _Walk.visit_assignment,
    ast.AnnAssign: _Walk.visit_annotated_assignment,
    ast.Name: _Walk.visit_name,
    ast.Import: _Walk.visit_import,
    ast.ImportFrom: _Walk.visit_import_from,
    ast.Global: _Walk.visit_declaration,
    ast.Nonlocal: _Walk.visit_declaration,
    **dict.fromkeys(
        (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping), _Walk.visit_name_binder
    ),
}
for _type_parameter in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # not before Python 3.12
    if hasattr(ast, _type_parameter):
        _HANDLERS[getattr(ast, _type_parameter)] = _Walk.visit_name_binder


def _children(visit: Visit) -> Iterator[Visit]:
    """Yield a visit of each child node, and update the maximum nesting of the owner."""
    node, parent, scope, owner, block_depth, in_annotation = visit
    if isinstance(node, _BLOCKS):
        if not is_elif(node, parent):
            block_depth += 1
        if owner is not None:
            owner.max_nesting = max(owner.max_nesting, block_depth)
    for part in child_nodes(node):
        yield Visit(part, node, scope, owner, block_depth, in_annotation)


def _visit_each(visit: Visit, nodes: Iterable[ast.AST | None]) -> Iterator[Visit]:
    """Yield a visit like `visit` for each of `nodes`, except those that are None."""
    return (visit._replace(node=node) for node in nodes if node is not None)


def _move_declared_bindings(scope: Scope) -> None:
    """Move the bindings of names declared `global` or `nonlocal` in `scope` to their real scope."""
    for name in scope.globals & scope.bindings.keys():
        _move_bindings(name, scope, scope.module.scope)
    for name in scope.nonlocals & scope.bindings.keys():
        if (defining_scope := scope.defining_scope(name)) is not None:
            _move_bindings(name, scope, defining_scope)


def _move_bindings(name: str, scope: Scope, defining_scope: Scope) -> None:
    """Move the bindings of `name` from `scope` to `defining_scope`, if these differ."""
    if scope is not defining_scope:
        for binding in scope.bindings.pop(name):
            defining_scope.bind(name, binding)
