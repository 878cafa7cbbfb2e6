"""Finds which functions of a submission each of its functions may call or pass on.

Names are resolved by their scopes, through imports and assignments: a function that reads a table
can call the functions in it. Methods are resolved by name only, so `x.solve()` can call any method
called `solve`. Calls by other means, such as an operator, are not found.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from grader.executor.syntax.names import resolve_name, star_import_scope
from grader.executor.syntax.nodes import child_nodes, element_expressions
from grader.executor.syntax.running import (
    find_main_only_nodes,
    find_unreachable_nodes,
    is_called_implicitly,
    runs_at_import,
)
from grader.executor.syntax.tree import (
    Assigned,
    Class,
    Function,
    Imported,
    Module,
    Scope,
    Visit,
)
from grader.protocol import SURVEY_CAPS

Value: TypeAlias = Function | Class | Assigned

_WHEN_CALLED: Final = ("__new__", "__init__", "__post_init__", "__call__", "__iter__")
"""Methods that are called without being named when code creates or uses an object."""
_MAX_STEPS: Final = 2_000
"""How many assignments are followed to resolve a name."""
_MAX_IMPORTS: Final = 5
"""How many imports are followed to resolve a name."""
_BUILT_IN_LITERALS: Final = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp),
)
"""Expressions of built-in types, which have no methods of the submission."""


class Calls:
    """The calls in all functions of a submission."""

    def __init__(self, modules: Mapping[str, Module], max_calls: int) -> None:
        """Analyse `modules`, keyed by name; keep at most `max_calls` calls for each function."""
        self._modules: Final = dict(modules)
        self._max_calls: Final = max_calls
        self._members: Final[dict[str, list[Value]]] = {}
        """The values that any class binds to a name."""
        self._values_by_name: Final[dict[tuple[Scope, str, int], list[Value]]] = {}
        """Cached results of `_values`."""
        self._functions_by_name: Final[dict[tuple[Scope, str, bool], tuple[Function, ...]]] = {}
        """Cached results of `_functions_at` for names, by scope, name and whether a dot follows."""
        self._bases_by_class: Final[dict[tuple[Class, int], tuple[Class, ...]]] = {}
        """Cached results of `_bases`: without them, many bases would take exponential time."""
        for module in modules.values():
            for cls in module.classes:
                for name in cls.scope.bindings:
                    members = self._members.setdefault(name, [])
                    if len(members) < max_calls:
                        members.extend(self._values(cls.scope, name))
        self.callees: Final[dict[Function, list[str]]] = {}
        """The names of the functions that each function can call, in source order."""
        self.entry_points: Final[dict[str, list[str]]] = {}
        """For each module, the functions that might be called from outside any function: by its
        top-level code, by Python, or by a library."""
        for module in modules.values():
            self._analyse(module)

    def _analyse(self, module: Module) -> None:
        """Add the calls in `module` to `callees` and `entry_points`."""
        calls: dict[Function, dict[str, None]] = {function: {} for function in module.functions}
        entry_points = dict.fromkeys(self._implicitly_called_methods(module))
        main_only = find_main_only_nodes(module)
        unreachable_nodes = find_unreachable_nodes(module)
        for visit in module.visits:
            if visit.in_annotation or visit.node in unreachable_nodes:
                continue
            if not isinstance(visit.node, ast.Name | ast.Attribute):
                continue
            if visit.owner is not None and len(names := calls[visit.owner]) < self._max_calls:
                names.update(dict.fromkeys(function.name for function in self._functions_at(visit)))
            if runs_at_import(visit) and visit.node not in main_only:
                entry_points.update(
                    dict.fromkeys(function.name for function in self._functions_at(visit))
                )
        self.callees.update(
            (function, list(names)[: self._max_calls]) for function, names in calls.items()
        )
        self.entry_points[module.name] = list(entry_points)[: SURVEY_CAPS.starts_per_module]

    def _implicitly_called_methods(self, module: Module) -> Iterator[str]:
        """Yield the names of the methods in `module` that Python or a library might call."""
        for owner in module.classes:
            own_base_count = len(self._bases(owner))
            for name, values in owner.scope.bindings.items():
                if is_called_implicitly(name, owner, own_base_count):
                    yield from (value.name for value in values if isinstance(value, Function))

    def _functions_at(self, visit: Visit) -> tuple[Function, ...]:
        """Return the functions that the name or attribute at `visit` can lead to, if it is read."""
        node: Any = visit.node
        if not isinstance(node.ctx, ast.Load):
            return ()
        # `Board.solve` does not create a `Board`, so the class itself does not count.
        is_base = isinstance(visit.parent, ast.Attribute)
        if isinstance(node, ast.Attribute):
            return self._reached_functions(
                _filter_classes(self._attribute_values(node, visit.scope), is_base)
            )
        scope = self._binding_scope(node.id, visit.scope)
        if scope is None:
            return ()
        key = scope, node.id, is_base
        if key not in self._functions_by_name:
            values = self._values(scope, node.id)
            self._functions_by_name[key] = self._reached_functions(_filter_classes(values, is_base))
        return self._functions_by_name[key]

    def _values(self, defining_scope: Scope, name: str, steps: int = _MAX_IMPORTS) -> list[Value]:
        """Return the values that `name` is bound to in the scope `defining_scope`.

        Imports from the submission are followed through at most `steps` modules, which also ends
        circular imports.
        """
        key = defining_scope, name, steps  # fewer steps can find fewer values
        if key not in self._values_by_name:
            values: dict[Value, None] = {}
            for binding in dict.fromkeys(defining_scope.bindings[name]):
                if isinstance(binding, Imported):
                    imported = (
                        self._values_of_full_name(binding.full_name, steps - 1) if steps else ()
                    )
                    values.update(dict.fromkeys(imported))
                elif binding is not None:
                    values[binding] = None
                if len(values) >= self._max_calls:
                    break
            self._values_by_name[key] = list(values)[: self._max_calls]
        return self._values_by_name[key]

    def _values_of_full_name(self, name: str, steps: int = _MAX_IMPORTS) -> list[Value]:
        """Return the values that the submission binds to the dotted `name`.

        Returns [] for a module, or for a name from outside the submission. Imports are followed
        through at most `steps` modules.
        """
        parts = name.split(".")
        for length in range(len(parts), 0, -1):  # the longest prefix that is a module counts
            module = self._modules.get(".".join(parts[:length]))
            if module is None:
                continue
            if length == len(parts):
                return []
            defining_scope = self._binding_scope(parts[length], module.scope)
            values = (
                [] if defining_scope is None else self._values(defining_scope, parts[length], steps)
            )
            for member in parts[length + 1 :]:
                values = [
                    member_value
                    for value in values
                    for member_value in self._member_values(value, member, steps)
                ]
            return values
        return []

    def _binding_scope(self, name: str, scope: Scope) -> Scope | None:
        """Return the scope that binds `name` as read in `scope`, or None.

        If a star import binds it, that is the scope of the imported module.
        """
        return scope.defining_scope(name) or star_import_scope(name, scope, self._modules)

    def _attribute_values(self, node: ast.Attribute, scope: Scope) -> list[Value]:
        """Return the values that the attribute `node` might have.

        The attribute is looked up in the module or the class before the dot. If neither is known,
        the values in all classes that have an attribute of that name are returned.
        """
        name = resolve_name(node, scope)
        if name is not None:
            return self._values_of_full_name(name)
        base = node.value
        if isinstance(base, _BUILT_IN_LITERALS):
            return []
        if (
            isinstance(base, ast.Name)
            and (defining_scope := scope.defining_scope(base.id)) is not None
        ):
            classes = [
                cls for cls in self._values(defining_scope, base.id) if isinstance(cls, Class)
            ]
            if classes:
                return [value for cls in classes for value in self._member_values(cls, node.attr)]
        return self._members.get(node.attr, [])[: self._max_calls]

    def _member_values(self, owner: Value, name: str, steps: int = _MAX_IMPORTS) -> list[Value]:
        """Return the values of `name` in `owner` or its bases, or [] if `owner` is not a class."""
        if not isinstance(owner, Class):
            return []
        visited: set[Class] = set()
        pending = [owner]
        while pending:
            cls = pending.pop()
            if cls in visited:  # two classes can be each other's base in source that never ran
                continue
            visited.add(cls)
            if name in cls.scope.bindings:
                return self._values(cls.scope, name, steps)
            pending.extend(self._bases(cls, steps))
        return []

    def _bases(self, owner: Class, steps: int = _MAX_IMPORTS) -> tuple[Class, ...]:
        """Return the base classes of `owner` that the submission defines."""
        key = owner, steps
        if key not in self._bases_by_class:
            bases = dict.fromkeys(self._find_bases(owner, steps))
            self._bases_by_class[key] = tuple(bases)[: self._max_calls]
        return self._bases_by_class[key]

    def _find_bases(self, owner: Class, steps: int) -> Iterator[Class]:
        """Yield the base classes of `owner` that the submission defines, perhaps repeatedly."""
        scope = owner.scope.parent
        for base in owner.node.bases:
            values: list[Value] = []
            match base:
                case ast.Name(id=name) if scope and (defining_scope := scope.defining_scope(name)):
                    values = self._values(defining_scope, name, steps)
                case ast.Attribute() if (
                    steps and scope and (full_name := resolve_name(base, scope))
                ):
                    values = self._values_of_full_name(full_name, steps - 1)
            yield from (value for value in values if isinstance(value, Class))

    def _reached_functions(self, values: Iterable[Value]) -> tuple[Function, ...]:
        """Return the functions among `values`, and those that the other values lead to.

        A class leads to its methods that are called without being named. An assignment leads to the
        functions in the assigned expression.
        """
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
                members = [self._member_values(value, name) for name in _WHEN_CALLED]
                pending.extend(
                    value
                    for member_values in reversed(members)
                    for value in reversed(member_values)
                )
            else:
                pending.extend(reversed(list(self._values_in_assignment(value))))
        return tuple(functions)[: self._max_calls]

    def _values_in_assignment(self, assigned: Assigned) -> Iterator[Value]:
        """Yield the values that the assigned expression can evaluate to, or can pass to a call."""
        value, scope = assigned.value, assigned.scope
        match value:
            case ast.Name(id=name):
                defining_scope = self._binding_scope(name, scope)
                yield from () if defining_scope is None else self._values(defining_scope, name)
            case ast.Attribute():
                yield from self._attribute_values(value, scope)
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from (Assigned(part, scope) for part in parts)
            case ast.Set(elts=parts) | ast.BoolOp(values=parts):
                yield from (Assigned(part, scope) for part in parts)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (Assigned(body, scope), Assigned(orelse, scope))
            case ast.Lambda(body=body):
                yield from self._values_in_lambda(body, scope.module.inner_scopes[value])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                inner = scope.module.inner_scopes[value]
                yield from (Assigned(part, inner) for part in element_expressions(value))
            case ast.Call(func=function, args=args, keywords=keywords):
                arguments = [*args, *(keyword.value for keyword in keywords)]
                passed_functions = [
                    argument for argument in arguments if self._is_function(argument, scope)
                ]
                callee = [function] if passed_functions else []
                yield from (Assigned(part, scope) for part in (*callee, *passed_functions))

    def _is_function(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether `node` is a lambda, or a name that the submission binds to a function.

        The submission might also bind the name to something else.
        """
        match node:
            case ast.Lambda():
                return True
            case ast.Name(id=name) if defining_scope := scope.defining_scope(name):
                return any(
                    isinstance(value, Function) for value in self._values(defining_scope, name)
                )
            case ast.Attribute() if full_name := resolve_name(node, scope):
                return any(
                    isinstance(value, Function) for value in self._values_of_full_name(full_name)
                )
            case _:
                return False

    def _values_in_lambda(self, body: ast.expr, scope: Scope) -> Iterator[Value]:
        """Yield the names and attributes in the `body` of a lambda, as values to follow."""
        pending: list[tuple[ast.AST, Scope]] = [(body, scope)]
        while pending:
            node, node_scope = pending.pop()
            if isinstance(node, ast.Name | ast.Attribute):
                yield Assigned(node, node_scope)
            node_scope = node_scope.module.inner_scopes.get(node, node_scope)
            parts = reversed(list(child_nodes(node)))
            pending.extend((part, node_scope) for part in parts)


def _filter_classes(values: list[Value], drops_classes: bool) -> list[Value]:
    return [value for value in values if not (drops_classes and isinstance(value, Class))]
