"""Walks the syntax tree of a module once: each node, with its scope and its function.

The heading of a function, with its decorators and defaults, is evaluated in the scope around it,
but counts as part of the function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, NamedTuple, TypeAlias

from grader.executor.syntax.source import ModuleText

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ComprehensionNode: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_WITHOUT_PLACE: Final = (
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.type_ignore,
)
_BLOCKS: Final = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.Try, ast.TryStar, ast.Match),
)


class ScopeKind(Enum):
    """The kinds of scopes."""

    MODULE = auto()
    CLASS = auto()
    FUNCTION = auto()
    """Also a lambda."""
    COMPREHENSION = auto()


@dataclass(slots=True, eq=False)
class Scope:
    """A scope and the names bound in it."""

    kind: ScopeKind
    parent: Scope | None
    module: Module
    function: Function | None = None
    """The function whose scope this is; None for a lambda."""
    bound: dict[str, list[Binding]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """The full name of each imported name, also if it is bound in other ways, too."""
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def bind(self, name: str, binding: Binding) -> None:
        """Record that `name` is bound here to `binding`."""
        self.bound.setdefault(name, []).append(binding)
        if isinstance(binding, Imported):
            self.imports[name] = binding.dotted

    def home(self, name: str) -> Scope | None:
        """Return the scope in which `name`, read here, is bound; None for a built-in name."""
        root = self.module.scope
        current: Scope | None = self
        while current is not None:
            if name in current.globals:
                return root if name in root.bound else None
            # Methods do not see the names of their class.
            is_visible = current is self or current.kind is not ScopeKind.CLASS
            if is_visible and name in current.bound and name not in current.nonlocals:
                return current
            current = current.parent
        return None


@dataclass(slots=True, eq=False)
class Function:
    """A function, method or nested function."""

    name: str
    """Dotted, with the module."""
    node: FunctionNode
    scope: Scope
    """The scope of its body."""
    nesting: int = 0


@dataclass(slots=True, eq=False)
class Class:
    """A class; the names of its scope are its members."""

    name: str
    node: ast.ClassDef
    scope: Scope


@dataclass(frozen=True, slots=True)
class Imported:
    """The target of an import: the dotted name of a module, or of an object in one."""

    dotted: str


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """The expression assigned to a name, and the scope in which it is evaluated."""

    value: ast.expr
    scope: Scope


Binding: TypeAlias = Function | Class | Imported | Assigned | None
"""None if the value is unknown, as for a parameter or a loop variable."""


class Visit(NamedTuple):
    """One node on the walk."""

    node: ast.AST
    parent: ast.AST | None
    scope: Scope
    owner: Function | None
    """The function that the node belongs to."""
    blocks: int
    """How many blocks of that function enclose the node."""
    in_annotation: bool


class Module:
    """A module, and the results of the walk over its tree."""

    def __init__(self, name: str, source: ModuleText, tree: ast.Module) -> None:
        """Walk over `tree`, parsed from `source`."""
        self.name: Final = name
        self.source: Final = source
        self.tree: Final = tree
        self.scope: Final = Scope(ScopeKind.MODULE, None, self)
        self.stars: Final[list[str]] = []
        """Modules that are imported with a star."""
        self.functions: Final[list[Function]] = []
        self.classes: Final[list[Class]] = []
        self.inner: Final[dict[ast.AST, Scope]] = {}
        """The scopes of lambdas and comprehensions."""
        self.visits: Final = list(_Walk(self).visits())

    def absolute(self, dotted: str, level: int) -> str:
        """Return the full name of a relative import from `level` packages up."""
        if not level:
            return dotted
        package = self.name.split(".")[:-level]
        return ".".join([*package, dotted]) if dotted else ".".join(package)


class _Walk:
    """The walk itself, with a handler for each kind of node that makes a scope or binds names."""

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
        for scope in self._scopes:
            _move_declared(scope)

    def _new_scope(self, kind: ScopeKind, parent: Scope, name: str | None = None) -> Scope:
        scope = Scope(kind, parent, self._module)
        self._scopes.append(scope)
        self._names[scope] = self._names[parent] if name is None else name
        return scope

    def function(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        outer = visit.scope
        is_global = node.name in outer.globals
        name = f"{self._module.name if is_global else self._names[outer]}.{node.name}"
        scope = self._new_scope(ScopeKind.FUNCTION, outer, f"{name}.<locals>")
        function = scope.function = Function(name, node, scope)
        outer.bind(node.name, function)
        self._module.functions.append(function)
        heading = visit._replace(parent=node, owner=function, blocks=0)
        yield from _each(heading, node.decorator_list)
        yield from self._parameters(heading, scope)
        body = heading._replace(scope=scope)
        yield from _each(body, getattr(node, "type_params", ()))
        yield from _each(heading._replace(in_annotation=True), [node.returns])
        yield from _each(body, node.body)

    def lambda_(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        scope = self._module.inner[node] = self._new_scope(ScopeKind.FUNCTION, visit.scope)
        heading = visit._replace(parent=node)
        yield from self._parameters(heading, scope)
        yield heading._replace(node=node.body, scope=scope)

    def _parameters(self, heading: Visit, scope: Scope) -> Iterator[Visit]:
        node: Any = heading.parent
        for parameter in all_parameters(node.args):
            scope.bind(parameter.arg, None)
            annotation = heading._replace(parent=parameter, in_annotation=True)
            yield from _each(annotation, [parameter.annotation])
        yield from _each(heading, [*node.args.defaults, *node.args.kw_defaults])

    def class_(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        outer = visit.scope
        name = f"{self._names[outer]}.{node.name}"
        scope = self._new_scope(ScopeKind.CLASS, outer, name)
        entry = Class(name, node, scope)
        outer.bind(node.name, entry)
        self._module.classes.append(entry)
        heading = visit._replace(parent=node)
        yield from _each(heading, [*node.decorator_list, *node.bases, *node.keywords])
        body = heading._replace(scope=scope)
        yield from _each(body, [*getattr(node, "type_params", ()), *node.body])

    def comprehension(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        scope = self._module.inner[node] = self._new_scope(ScopeKind.COMPREHENSION, visit.scope)
        inside = visit._replace(parent=node, scope=scope)
        for number, generator in enumerate(node.generators):
            part = inside._replace(parent=generator)
            # Python evaluates the first iterable in the enclosing scope.
            yield part._replace(node=generator.iter, scope=scope if number else visit.scope)
            yield from _each(part, [generator.target, *generator.ifs])
        yield from _each(inside, elements(node))

    def walrus(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        scope = visit.scope
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:  # PEP 572
            scope = scope.parent
        scope.bind(node.target.id, Assigned(node.value, visit.scope))
        yield visit._replace(node=node.target, parent=node, scope=scope)
        yield visit._replace(node=node.value, parent=node)

    def assignment(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        for target in node.targets:
            match target:
                case ast.Name(id=name):
                    visit.scope.bind(name, Assigned(node.value, visit.scope))
                case ast.Subscript(value=ast.Name(id=name)):
                    # `table["key"] = function` fills a table at the top level.
                    if visit.scope.kind is ScopeKind.MODULE:
                        visit.scope.bind(name, Assigned(node.value, visit.scope))
        yield from _children(visit)

    def annotated(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        if isinstance(node.target, ast.Name):
            value = node.value
            visit.scope.bind(node.target.id, value and Assigned(value, visit.scope))
        part = visit._replace(parent=node)
        yield from _each(part, [node.target, node.value])
        yield part._replace(node=node.annotation, in_annotation=True)

    def name(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        is_bound_by_parent = isinstance(visit.parent, ast.Assign | ast.AnnAssign | ast.NamedExpr)
        if not is_bound_by_parent and not isinstance(node.ctx, ast.Load):
            visit.scope.bind(node.id, None)
        yield from ()

    def import_(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        for alias in node.names:
            top = alias.name.partition(".")[0]
            dotted = top if alias.asname is None else alias.name
            visit.scope.bind(alias.asname or top, Imported(dotted))
        yield from ()

    def import_from(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        module = self._module.absolute(node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self._module.stars.append(module)
                continue
            dotted = f"{module}.{alias.name}" if module else alias.name
            visit.scope.bind(alias.asname or alias.name, Imported(dotted))
        yield from ()

    def declaration(self, visit: Visit) -> Iterator[Visit]:
        node: Any = visit.node
        scope = visit.scope
        names = scope.globals if isinstance(node, ast.Global) else scope.nonlocals
        names.update(node.names)
        yield from ()

    def named(self, visit: Visit) -> Iterator[Visit]:
        """Bind the name of an `except` clause, a pattern or a type parameter."""
        node: Any = visit.node
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            visit.scope.bind(name, None)
        yield from _children(visit)


_HANDLERS: Final[dict[type[ast.AST], Callable[[_Walk, Visit], Iterable[Visit]]]] = {
    ast.FunctionDef: _Walk.function,
    ast.AsyncFunctionDef: _Walk.function,
    ast.Lambda: _Walk.lambda_,
    ast.ClassDef: _Walk.class_,
    **dict.fromkeys(
        (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _Walk.comprehension
    ),
    ast.NamedExpr: _Walk.walrus,
    ast.Assign: _Walk.assignment,
    ast.AnnAssign: _Walk.annotated,
    ast.Name: _Walk.name,
    ast.Import: _Walk.import_,
    ast.ImportFrom: _Walk.import_from,
    ast.Global: _Walk.declaration,
    ast.Nonlocal: _Walk.declaration,
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping), _Walk.named),
}
for _type_parameter in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # not before Python 3.12
    if hasattr(ast, _type_parameter):
        _HANDLERS[getattr(ast, _type_parameter)] = _Walk.named


def all_parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield the parameters, in the order in which they are written."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg is not None:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg is not None:
        yield arguments.kwarg


def elements(node: ComprehensionNode) -> list[ast.expr]:
    """Return the expressions for an element of a comprehension."""
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """Return the child nodes of `node`, without operators, in the order of its fields."""
    return (part for part in ast.iter_child_nodes(node) if not isinstance(part, _WITHOUT_PLACE))


def _children(visit: Visit) -> Iterator[Visit]:
    """Yield a visit of each child node, and update the nesting of the owner."""
    node, _, scope, owner, blocks, in_annotation = visit
    if isinstance(node, _BLOCKS):
        if not _is_elif(visit):
            blocks += 1
        if owner is not None:
            owner.nesting = max(owner.nesting, blocks)
    for part in parts_of(node):
        yield Visit(part, node, scope, owner, blocks, in_annotation)


def _is_elif(visit: Visit) -> bool:
    match visit.node, visit.parent:
        case ast.If() as node, ast.If(orelse=[only]) as parent:
            # To `ast`, `elif` is an `if` in an `else`; there it would be indented.
            return only is node and node.col_offset == parent.col_offset
        case _:
            return False


def _each(visit: Visit, nodes: Iterable[ast.AST | None]) -> Iterator[Visit]:
    """Yield a visit like `visit` for each of `nodes` that is not None."""
    return (visit._replace(node=node) for node in nodes if node is not None)


def _move_declared(scope: Scope) -> None:
    """Move bindings declared `global` or `nonlocal` in `scope` to their real scope."""
    for name in scope.globals & scope.bound.keys():
        _move_bindings(name, scope, scope.module.scope)
    for name in scope.nonlocals & scope.bound.keys():
        if (home := scope.home(name)) is not None:
            _move_bindings(name, scope, home)


def _move_bindings(name: str, scope: Scope, home: Scope) -> None:
    if scope is not home:
        for binding in scope.bound.pop(name):
            home.bind(name, binding)
