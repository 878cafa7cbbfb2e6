"""Finds which functions of a submission each of its functions may call or pass on.

Names are resolved by their scopes, through imports and assignments: a function that reads a table
may call the functions in it. Methods are known by name only, so `x.solve()` may call any method
`solve`. Calls by other means, such as an operator, are not found.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from grader.executor.syntax.names import dotted, star_home
from grader.executor.syntax.running import (
    is_called_unseen,
    runs_at_import,
    unreachable,
    unrun,
)
from grader.executor.syntax.tree import (
    Assigned,
    Class,
    Function,
    Imported,
    Module,
    Scope,
    Visit,
    elements,
    parts_of,
)
from grader.protocol import SURVEY_CAPS

Value: TypeAlias = Function | Class | Assigned

_WHEN_CALLED: Final = ("__new__", "__init__", "__post_init__", "__call__", "__iter__")
"""Methods that code calls without naming them when it makes or uses an object."""
_MAX_STEPS: Final = 2_000
"""How many assignments a name is followed through."""
_MAX_IMPORTS: Final = 5
"""How many modules a name is followed through."""
_BUILT_IN_LITERALS: Final = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp),
)
"""Expressions of built-in types, whose methods are not the submission's."""


class Calls:
    """The calls of all functions of a submission."""

    def __init__(self, modules: Mapping[str, Module], most: int) -> None:
        """Analyse `modules`, by their names; keep at most `most` calls per function."""
        self._modules: Final = dict(modules)
        self._most: Final = most
        self._members: Final[dict[str, list[Value]]] = {}
        self._bound: Final[dict[tuple[Scope, str], list[Value]]] = {}
        self._cache: Final[dict[tuple[Scope, str, bool], tuple[Function, ...]]] = {}
        for module in modules.values():
            for each in module.classes:
                for name in each.scope.bound:
                    members = self._members.setdefault(name, [])
                    if len(members) < most:
                        members.extend(self._values(each.scope, name))
        self.of: Final[dict[Function, list[str]]] = {}
        """The names of the functions that each function may call, in order of appearance."""
        self.starts: Final[dict[str, list[str]]] = {}
        """By module, the functions that may be called from outside any function: by its top-level
        code, by Python, or by a library."""
        for module in modules.values():
            self._analyse(module)

    def _analyse(self, module: Module) -> None:
        """Add the calls in `module` to `of` and `starts`."""
        calls: dict[Function, dict[str, None]] = {each: {} for each in module.functions}
        starts, skipped = dict.fromkeys(self._called_unseen(module)), unrun(module)
        unreachable_nodes = unreachable(module)
        for visit in module.visits:
            if visit.in_annotation or visit.node in unreachable_nodes:
                continue
            if not isinstance(visit.node, ast.Name | ast.Attribute):
                continue
            if visit.owner is not None and len(names := calls[visit.owner]) < self._most:
                names.update(dict.fromkeys(each.name for each in self._functions_read(visit)))
            if runs_at_import(visit) and visit.node not in skipped:
                starts.update(dict.fromkeys(each.name for each in self._functions_read(visit)))
        self.of.update((each, list(names)[: self._most]) for each, names in calls.items())
        self.starts[module.name] = list(starts)[: SURVEY_CAPS.starts_of_a_module]

    def _called_unseen(self, module: Module) -> Iterator[str]:
        """Yield the methods of `module` that Python or a library may call."""
        for owner in module.classes:
            bases = sum(1 for _ in self._bases(owner))
            for name, values in owner.scope.bound.items():
                if is_called_unseen(name, owner, bases):
                    yield from (each.name for each in values if isinstance(each, Function))

    def _functions_read(self, visit: Visit) -> tuple[Function, ...]:
        """Return the functions that the name or attribute read at `visit` may lead to."""
        node: Any = visit.node
        if not isinstance(node.ctx, ast.Load):
            return ()
        is_base = isinstance(visit.parent, ast.Attribute)  # `Board.solve` does not make a `Board`
        if isinstance(node, ast.Attribute):
            return self._reached_functions(
                _without_classes(self._attribute(node, visit.scope), is_base)
            )
        scope = self._binding_scope(node.id, visit.scope)
        if scope is None:
            return ()
        key = scope, node.id, is_base
        if key not in self._cache:
            values = self._values(scope, node.id)
            self._cache[key] = self._reached_functions(_without_classes(values, is_base))
        return self._cache[key]

    def _values(self, home: Scope, name: str, steps: int = _MAX_IMPORTS) -> list[Value]:
        """Return what `name` is bound to in the scope `home`, through the submission's imports."""
        key = home, name
        if key not in self._bound:
            self._bound[key] = []  # for circular imports
            values: list[Value] = []
            for binding in dict.fromkeys(home.bound[name]):
                if isinstance(binding, Imported):
                    values += self._values_of_dotted(binding.dotted, steps - 1) if steps else ()
                elif binding is not None:
                    values.append(binding)
                if len(values) >= self._most:
                    break
            self._bound[key] = values[: self._most]
        return self._bound[key]

    def _values_of_dotted(self, name: str, steps: int = _MAX_IMPORTS) -> list[Value]:
        """Return what the submission defines under the dotted `name`; empty for a module."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            module = self._modules.get(".".join(parts[:length]))
            if module is None:
                continue
            if length == len(parts):
                return []
            home = self._binding_scope(parts[length], module.scope)
            values = [] if home is None else self._values(home, parts[length], steps)
            for member in parts[length + 1 :]:
                values = [each for value in values for each in self._member(value, member)]
            return values
        return []

    def _binding_scope(self, name: str, scope: Scope) -> Scope | None:
        return scope.home(name) or star_home(name, scope, self._modules)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> list[Value]:
        """Return what `node` may be: in a module, in a class, or in any class with that member."""
        name = dotted(node, scope)
        if name is not None:
            return self._values_of_dotted(name)
        base = node.value
        if isinstance(base, _BUILT_IN_LITERALS):
            return []
        if isinstance(base, ast.Name) and (home := scope.home(base.id)) is not None:
            classes = [each for each in self._values(home, base.id) if isinstance(each, Class)]
            if classes:
                return [value for each in classes for value in self._member(each, node.attr)]
        return self._members.get(node.attr, [])[: self._most]

    def _member(self, owner: Value, name: str) -> list[Value]:
        """Return what `name` is bound to in a class or its bases."""
        if not isinstance(owner, Class):
            return []
        visited: set[Class] = set()
        pending = [owner]
        while pending:
            each = pending.pop()
            if each in visited:
                continue
            visited.add(each)
            if name in each.scope.bound:
                return self._values(each.scope, name)
            pending.extend(self._bases(each))
        return []

    def _bases(self, owner: Class) -> Iterator[Class]:
        """Yield the base classes of `owner` that the submission defines."""
        scope = owner.scope.parent
        for base in owner.node.bases:
            values: list[Value] = []
            match base:
                case ast.Name(id=name) if scope and (home := scope.home(name)):
                    values = self._values(home, name)
                case ast.Attribute() if scope and (full := dotted(base, scope)):
                    values = self._values_of_dotted(full)
            yield from (each for each in values if isinstance(each, Class))

    def _reached_functions(self, values: Iterable[Value]) -> tuple[Function, ...]:
        """Return the functions that `values` are or lead to, through assigned expressions."""
        functions: dict[Function, None] = {}
        visited: set[object] = set()
        pending = list(values)
        pending.reverse()
        while pending and len(visited) < _MAX_STEPS:
            value = pending.pop()
            key = value.value if isinstance(value, Assigned) else value
            if key in visited:
                continue
            visited.add(key)
            if isinstance(value, Function):
                functions[value] = None
            elif isinstance(value, Class):
                members = [self._member(value, name) for name in _WHEN_CALLED]
                pending.extend(each for member in reversed(members) for each in reversed(member))
            else:
                pending.extend(reversed(list(self._inside_assigned(value))))
        return tuple(functions)[: self._most]

    def _inside_assigned(self, assigned: Assigned) -> Iterator[Value]:
        """Yield what an assigned expression may evaluate to, or pass on."""
        value, scope = assigned.value, assigned.scope
        match value:
            case ast.Name(id=name):
                home = self._binding_scope(name, scope)
                yield from () if home is None else self._values(home, name)
            case ast.Attribute():
                yield from self._attribute(value, scope)
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from (Assigned(part, scope) for part in parts)
            case ast.Set(elts=parts) | ast.BoolOp(values=parts):
                yield from (Assigned(part, scope) for part in parts)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (Assigned(body, scope), Assigned(orelse, scope))
            case ast.Lambda(body=body):
                yield from self._inside_lambda(body, scope.module.inner[value])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                inner = scope.module.inner[value]
                yield from (Assigned(part, inner) for part in elements(value))
            case ast.Call(func=function, args=args, keywords=keywords):
                arguments = [*args, *(keyword.value for keyword in keywords)]
                passed_functions = [each for each in arguments if self._is_function(each, scope)]
                callee = [function] if passed_functions else []
                yield from (Assigned(each, scope) for each in (*callee, *passed_functions))

    def _is_function(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an argument is clearly a function."""
        match node:
            case ast.Lambda():
                return True
            case ast.Name(id=name) if home := scope.home(name):
                return any(isinstance(each, Function) for each in self._values(home, name))
            case ast.Attribute() if full := dotted(node, scope):
                return any(isinstance(each, Function) for each in self._values_of_dotted(full))
            case _:
                return False

    def _inside_lambda(self, body: ast.expr, scope: Scope) -> Iterator[Value]:
        """Yield all names and attributes in the `body` of a lambda."""
        pending: list[tuple[ast.AST, Scope]] = [(body, scope)]
        while pending:
            node, node_scope = pending.pop()
            if isinstance(node, ast.Name | ast.Attribute):
                yield Assigned(node, node_scope)
            node_scope = node_scope.module.inner.get(node, node_scope)
            parts = reversed(list(parts_of(node)))
            pending.extend((part, node_scope) for part in parts)


def _without_classes(values: list[Value], are_left_out: bool) -> list[Value]:
    return [each for each in values if not (are_left_out and isinstance(each, Class))]
