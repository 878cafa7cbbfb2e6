"""Rewrites the source of a submission so that it reports its calls and loops as it runs.

Every function becomes a *site* with a key, `module.qualname:line`. A `def` or a `lambda` reports
when it begins and ends, and the reply to the first report can end it at once. Each iteration of a
loop or comprehension calls `tick`, and each callee is passed to an instrument before the call (see
`grader.executor.instruments`)::

    def f(a):                          def f(a):
        "doc"                              "doc"
        for x in a:                        if NAME_enter__("m.f:1", (a,)):
            g(x)                               if NAME_is_cut__():
        return x                                   return NAME_cut_result__()
                                               (a,) = NAME_new_arguments__()
                                           try:
                                               for x in a:
                                                   NAME_tick__()
                                                   NAME_wrap_callee__(g)(x)
                                               return NAME_record_return__("m.f:1", x)
                                           finally:
                                               NAME_leave__("m.f:1")

    lambda a: a + 1                    lambda a: NAME_cut_result__()
                                           if NAME_begin__("m.<lambda>:1", (a,))
                                           else NAME_end__("m.<lambda>:1", a + 1)

Names are qualified as in Python 3.12 and later, where comprehensions are not part of them.
NAME_enter__ and the like are not names, which a program could look up, but constants of its code:
strings while the code is marshalled, and the instruments themselves when it runs. Nothing else
changes: no name is bound except the parameters, every line keeps its number, and no frame is added
to the stack of a running call. Source that cannot be compiled raises the same error as without
these changes. Trees are walked without recursion, since they can be deep. A lambda that yields is
left unchanged.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from grader.executor.syntax.nodes import all_parameters

_Def: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Function: TypeAlias = _Def | ast.Lambda
_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
_Node = TypeVar("_Node", bound=ast.AST)

_MAX_QUALNAME_CHARS: Final = 120


def insert_instruments(tree: ast.Module, module_name: str, prefix: str) -> ast.Module:
    """Change the tree of `module` to call the instruments with the prefix `name`; return it."""
    _InstrumentInserter(module_name, prefix).rewrite(tree)
    return tree


@dataclass(slots=True)
class _Scope:
    """The scope of a node: a module, a class or a function."""

    prefix: str
    """The prefix of the qualified names of functions in this scope."""
    globals: set[str] = field(default_factory=set)
    yields: bool = False
    returns: list[ast.Return] = field(default_factory=list)

    def qualname(self, name: str) -> str:
        """Return the qualified name, clipped, of the function or class `name` defined here."""
        return (name if name in self.globals else self.prefix + name)[:_MAX_QUALNAME_CHARS]


class _InstrumentInserter:
    """Rewrites the tree of one module, in place."""

    def __init__(self, module: str, name: str) -> None:
        self._module: Final = module
        self._name: Final = name
        self._keys: Final[Counter[str]] = Counter()
        self._functions: Final[list[tuple[_Function, str, _Scope]]] = []
        self._loops: Final[list[_Loop | ast.comprehension]] = []
        self._calls: Final[list[ast.Call]] = []

    def rewrite(self, tree: ast.Module) -> None:
        """Collect all nodes to change, in source order, and only then change them in place.

        Otherwise the walk would also find the calls that were just inserted.
        """
        pending: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(""))]
        while pending:
            node, scope = pending.pop()
            children = list(self._children(node, scope))
            pending.extend(reversed(children))
        for call in self._calls:
            call.func = self._call("wrap_callee", call.func, origin=call.func)
        for loop in self._loops:
            self._add_tick(loop)
        for function, key, scope in self._functions:
            if isinstance(function, ast.Lambda):
                if not scope.yields:
                    self._rewrite_lambda(function, key)
            else:
                is_suspendable = scope.yields or isinstance(function, ast.AsyncFunctionDef)
                self._rewrite_def(function, key, is_suspendable=is_suspendable)
                if not is_suspendable:
                    self._report_values(scope.returns, key)

    def _children(self, node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
        """Yield the child nodes of `node`, each with its scope.

        Records `node` if it must be rewritten, and records in `scope` its global names, yields and
        returns.
        """
        inner = scope
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                qualname = scope.qualname("<lambda>" if isinstance(node, ast.Lambda) else node.name)
                inner = _Scope(f"{qualname}.<locals>.")
                self._functions.append((node, self._key(qualname, node.lineno), inner))
            case ast.ClassDef():
                inner = _Scope(f"{scope.qualname(node.name)}.")
            case ast.Global():
                scope.globals.update(node.names)
            case ast.Yield() | ast.YieldFrom():
                scope.yields = True
            case ast.Return():
                scope.returns.append(node)
            case ast.Call():
                self._calls.append(node)
            case ast.For() | ast.AsyncFor() | ast.While() | ast.comprehension():
                self._loops.append(node)
            case _:
                pass
        for name, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            child_scope = inner if name == "body" else scope
            yield from ((child, child_scope) for child in values if isinstance(child, ast.AST))

    def _key(self, qualname: str, line: int) -> str:
        """Return a unique key for the function `qualname` at `line`, and count its use."""
        key = f"{self._module}.{qualname}:{line}"
        self._keys[key] += 1
        # Two lambdas on one line have the same name and line.
        return key if self._keys[key] == 1 else f"{key}#{self._keys[key]}"

    def _call(self, function: str, *arguments: ast.expr, origin: ast.AST) -> ast.expr:
        """Return a call of the instrument `function`, with the source position of `origin`."""
        instrument = _string_constant(f"{self._name}_{function}__", origin)
        return _with_location_of(
            origin, ast.Call(func=instrument, args=list(arguments), keywords=[])
        )

    def _add_tick(self, loop: _Loop | ast.comprehension) -> None:
        """Insert a call of `tick` at the start of the body of `loop`."""
        origin = loop.target if isinstance(loop, ast.comprehension) else loop
        tick = self._call("tick", origin=origin)
        if isinstance(loop, ast.comprehension):
            loop.ifs.insert(0, tick)
        else:
            loop.body.insert(0, _with_location_of(origin, ast.Expr(value=tick)))

    def _rewrite_def(self, function: _Def, key: str, *, is_suspendable: bool) -> None:
        """Rewrite the body of `function` in place, as the module docstring shows.

        `is_suspendable` is true for generators and async functions, which use other instruments.
        """
        begin, end = ("begin", "end") if is_suspendable else ("enter", "leave")
        text, arguments = _string_constant(key, function), _parameter_tuple(function, ast.Load())
        begins = self._call(begin, text, arguments, origin=function)
        ends = self._call(end, _string_constant(key, function), origin=function)
        # Python forbids `return` with a value in an async generator.
        value = None if is_suspendable else self._call("cut_result", origin=function)
        return_early: list[ast.stmt] = [_with_location_of(function, ast.Return(value=value))]
        is_cut = self._call("is_cut", origin=function)
        branch: list[ast.stmt] = [
            _with_location_of(function, ast.If(test=is_cut, body=return_early, orelse=[]))
        ]
        if any(all_parameters(function.args)):
            new_arguments = self._call("new_arguments", origin=function)
            branch.append(
                _with_location_of(
                    function,
                    ast.Assign(
                        targets=[_parameter_tuple(function, ast.Store())], value=new_arguments
                    ),
                )
            )
        # A docstring must stay first, or Python would not recognise it.
        body_start = 1 if ast.get_docstring(function, clean=False) is not None else 0
        body = function.body[body_start:] or [_with_location_of(function, ast.Pass())]
        finally_body: list[ast.stmt] = [_with_location_of(function, ast.Expr(value=ends))]
        function.body[body_start:] = [
            _with_location_of(function, ast.If(test=begins, body=branch, orelse=[])),
            _with_location_of(
                function, ast.Try(body=body, handlers=[], orelse=[], finalbody=finally_body)
            ),
        ]

    def _report_values(self, returns: list[ast.Return], key: str) -> None:
        """Rewrite the `returns` of the site `key` in place, to pass each value to an instrument."""
        for statement in returns:
            value = statement.value
            if value is not None:
                statement.value = self._call(
                    "record_return", _string_constant(key, value), value, origin=value
                )

    def _rewrite_lambda(self, function: ast.Lambda, key: str) -> None:
        """Rewrite the body of `function` in place, as the module docstring shows."""
        text, arguments = _string_constant(key, function), _parameter_tuple(function, ast.Load())
        begins = self._call("begin", text, arguments, origin=function)
        cut_result = self._call("cut_result", origin=function)
        ends = self._call("end", _string_constant(key, function), function.body, origin=function)
        function.body = _with_location_of(
            function, ast.IfExp(test=begins, body=cut_result, orelse=ends)
        )


def _with_location_of(origin: ast.AST, node: _Node) -> _Node:
    return ast.copy_location(node, origin)


def _string_constant(value: str, origin: ast.AST) -> ast.expr:
    return _with_location_of(origin, ast.Constant(value=value))


def _parameter_tuple(function: _Function, context: ast.expr_context) -> ast.expr:
    """Return the tuple of all parameters of `function`, to read them or to assign to them."""
    parameters = all_parameters(function.args)
    names = [
        _with_location_of(function, ast.Name(id=parameter.arg, ctx=context))
        for parameter in parameters
    ]
    return _with_location_of(function, ast.Tuple(elts=list[ast.expr](names), ctx=context))
