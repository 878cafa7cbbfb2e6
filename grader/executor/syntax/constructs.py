"""Finds the constructs that a module uses, and names them as in rules.

The span of a compound statement is its keyword; the span of anything else is all of it:

- `for` and `while` are statements, including `async for`; a loop in a comprehension does not count.
- The four comprehensions are expressions, even as the only argument of a call.
- `decorator` is the expression after the `@`; `star argument` is `*args` or `**kwargs` in the
  header of a `def`; `nested function` is a `def` directly in another function, not a method.
- `with` and `async` include `async with` and `async def`; `yield` and `try` include `yield from`
  and `except*`.
- `if` is a statement, including `elif`; `import` is any statement that imports; an `index` can be
  read or written, and is distinct from a `slice`, whose span is all of `x[1:2]`.
- A `number literal` or `text literal` is part of an expression; docstrings and the parts of an
  f-string do not count. A `tuple literal` is neither the target of an assignment nor an index.
- An `f-string` in the format specification of another one is part of the other one.
- A call of `type` with several arguments counts as a `class`; `type(x)` does not.
- A built-in such as `map` is used wherever its name is read, whether it is called or not;
  `builtins.map` counts, too. `reduce` is the function in `functools`, under any name. Annotations
  do not count.

A comprehension *initialises* if it only gives a data structure its first content. Each of its loops
is then over `range(...)`, or over a literal sequence of constants, without conditions. Its elements
are constants and names; tuples, lists, sets and dicts of these; arithmetic on these; empty
containers (`set()`), a `bytearray`, and comprehensions that initialise. An index, an attribute or
any other call works on existing data, so it does not initialise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from grader.executor.syntax.names import resolve_name
from grader.executor.syntax.nodes import ComprehensionNode, element_expressions
from grader.executor.syntax.source import ModuleText, Span
from grader.executor.syntax.tree import (
    Function,
    Module,
    Scope,
    ScopeKind,
    Visit,
)

_COMPOUND: Final[dict[type[ast.AST], str]] = {
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.If: "if",
    ast.While: "while",
    ast.ClassDef: "class",
    ast.Match: "match",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.AsyncWith: "with",
}
_COMPREHENSIONS: Final[dict[type[ast.AST], str]] = {
    ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension",
    ast.DictComp: "dict comprehension",
    ast.GeneratorExp: "generator expression",
}
_SIMPLE: Final[dict[type[ast.AST], str]] = {
    ast.Assert: "assert",
    ast.Break: "break",
    ast.Continue: "continue",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.IfExp: "ternary",
    ast.Lambda: "lambda",
    ast.NamedExpr: "walrus",
    ast.Nonlocal: "nonlocal",
    ast.Raise: "raise",
    ast.Return: "return",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}
_LITERALS: Final[dict[type[ast.AST], str]] = {
    ast.Constant: "literal",
    ast.Dict: "dict literal",
    ast.List: "list literal",
    ast.Set: "set literal",
    ast.Tuple: "tuple literal",
}
_CONSTANT_LITERALS: Final[dict[type, str]] = {
    int: "number literal",
    float: "number literal",
    complex: "number literal",
    str: "text literal",
    bytes: "text literal",
}
_BUILT_IN: Final = ("all", "any", "eval", "exec", "filter", "map", "sorted", "sum", "zip")
_FUNCTIONS: Final = {
    **{f"builtins.{name}": name for name in _BUILT_IN},
    "functools.reduce": "reduce",
    "_functools.reduce": "reduce",  # where `functools` imports it from
}
CONSTRUCTS: Final = frozenset(
    (
        *_COMPOUND.values(),
        *_COMPREHENSIONS.values(),
        *_SIMPLE.values(),
        *{*_LITERALS.values(), *_CONSTANT_LITERALS.values()} - {"literal"},
        *_FUNCTIONS.values(),
        *("async", "decorator", "f-string", "index", "nested function", "slice", "star argument"),
    )
)
"""The names of all constructs."""
CERTAIN: Final = ""
"""The `doubt` of a use that certainly counts."""
_BYTEARRAY: Final = "builtins.bytearray"
_READING_NODES: Final = frozenset({ast.Name, ast.Attribute, ast.Call})
_EMPTY_CONTAINERS: Final = frozenset(
    f"builtins.{name}" for name in ("dict", "frozenset", "list", "set", "tuple")
)


class Use(NamedTuple):
    """One use of a construct, or of another word that a rule looks for."""

    word: str
    span: Span
    function: Function | None
    initialises: bool = False
    doubt: str = CERTAIN
    """Why the use might not count: `own` for an attribute that the submission defines, or `dead`
    for unreachable code."""


def find_constructs(module: Module) -> Iterator[Use]:
    """Yield all uses of constructs in `module`."""
    for visit in module.visits:
        yield from _construct_uses_at(visit, module)
    for function in module.functions:
        yield from _header_uses(function, module.source)


def _construct_uses_at(visit: Visit, module: Module) -> Iterator[Use]:
    """Yield the uses of constructs by the node at `visit` itself, without its children."""
    node: Any = visit.node
    kind, source, owner = type(node), module.source, visit.owner
    if kind in _COMPOUND:
        yield Use(_COMPOUND[kind], source.keyword_span(node), owner)
    elif kind in _SIMPLE:
        yield Use(_SIMPLE[kind], source.span(node), owner)
    elif kind in _COMPREHENSIONS:
        initialises = _initialises(node, visit.scope, module)
        yield Use(_COMPREHENSIONS[kind], source.span(node), owner, initialises)
    elif kind is ast.JoinedStr and not _is_format_spec(visit):
        yield Use("f-string", source.span(node), owner)
    elif kind is ast.Subscript and not visit.in_annotation:
        yield Use(
            "slice" if isinstance(node.slice, ast.Slice) else "index", source.span(node), owner
        )
    elif kind in _LITERALS and (literal := _literal_kind(visit)) is not None:
        yield Use(literal, source.span(node), owner)
    elif kind is ast.Call and _makes_class(node, visit.scope):
        yield Use("class", source.span(node), owner)
    elif kind in _READING_NODES and (name := resolve_read(visit)) in _FUNCTIONS:
        yield Use(_FUNCTIONS[name], source.span(node), owner)
    if kind is ast.ClassDef:
        yield from _decorator_uses(node, source, owner)


def _makes_class(call: ast.Call, scope: Scope) -> bool:
    """Return whether `call` calls `type` with arguments that can make a class."""
    returns_class = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
    return not returns_class and resolve_name(call.func, scope) == "builtins.type"


def _literal_kind(visit: Visit) -> str | None:
    """Return the kind of literal at `visit`, or None if it does not count as a literal."""
    node: Any = visit.node
    if not isinstance(node, ast.Constant):
        is_target = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        is_index = isinstance(node, ast.Tuple) and isinstance(visit.parent, ast.Subscript)
        return None if visit.in_annotation or is_target or is_index else _LITERALS[type(node)]
    return _CONSTANT_LITERALS.get(type(node.value)) if is_counted_constant(visit) else None


def is_counted_constant(visit: Visit) -> bool:
    """Return whether the constant at `visit` is neither a docstring nor part of an f-string."""
    return not visit.in_annotation and not isinstance(visit.parent, ast.Expr | ast.JoinedStr)


def resolve_read(visit: Visit) -> str | None:
    """Return the full name of the built-in or imported object read at `visit`, or None."""
    node: Any = visit.node
    is_assigned = isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    if visit.in_annotation or is_assigned:
        return None
    return resolve_name(node, visit.scope)


def _header_uses(function: Function, source: ModuleText) -> Iterator[Use]:
    """Yield the uses of constructs in the header of `function`."""
    node = function.node
    yield from _decorator_uses(node, source, function)
    if isinstance(node, ast.AsyncFunctionDef):
        yield Use("async", source.keyword_span(node), function)
    parent = function.scope.parent
    if parent is not None and parent.kind is ScopeKind.FUNCTION:
        yield Use("nested function", source.keyword_span(node), parent.function)
    for argument in (node.args.vararg, node.args.kwarg):
        if argument is not None:
            yield Use("star argument", source.span_with_stars(argument), function)


def _decorator_uses(
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    source: ModuleText,
    function: Function | None,
) -> Iterator[Use]:
    """Yield a use in `function` for each decorator of `node`."""
    for decorator in node.decorator_list:
        yield Use("decorator", source.span(decorator), function)


def _is_format_spec(visit: Visit) -> bool:
    parent = visit.parent
    return isinstance(parent, ast.FormattedValue) and parent.format_spec is visit.node


def _initialises(node: ComprehensionNode, scope: Scope, module: Module) -> bool:
    """Return whether `node`, in `scope`, initialises, in the sense of the module docstring."""
    pending: list[tuple[ast.expr, Scope]] = [(node, scope)]
    while pending:
        value, value_scope = pending.pop()
        inner = module.inner_scopes.get(value, value_scope)
        parts = _initialising_parts(value, value_scope, inner)
        if parts is None:
            return False
        pending.extend((part, inner) for part in parts)
    return True


def _initialising_parts(value: ast.expr, scope: Scope, inner: Scope) -> list[ast.expr] | None:
    """Return the parts of `value` that must all initialise for `value` to initialise.

    Return None if `value`, which `scope` contains, cannot initialise. If it is a comprehension,
    `inner` is the scope of its loops.
    """
    parts: list[ast.expr] | None = None
    match value:
        case ast.Constant() | ast.Name():
            parts = []
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            parts = elts
        case ast.Dict(keys=keys, values=values):
            known_keys = [key for key in keys if key is not None]
            parts = [*known_keys, *values] if len(known_keys) == len(keys) else None
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() | ast.Invert(), operand=operand):
            parts = [operand]
        case ast.Call(func=function, args=args, keywords=[]):
            name = resolve_name(function, scope)
            parts = args if name == _BYTEARRAY or (name in _EMPTY_CONTAINERS and not args) else None
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            first, *rest = value.generators
            is_constant = _has_constant_iterable(first, scope) and all(
                _has_constant_iterable(generator, inner) for generator in rest
            )
            parts = element_expressions(value) if is_constant else None
    return parts


def _has_constant_iterable(generator: ast.comprehension, scope: Scope) -> bool:
    """Return whether `generator` loops over a range or over constants, without conditions."""
    if generator.ifs or generator.is_async:
        return False
    match generator.iter:
        case ast.Call(func=function, args=[_, *_], keywords=[]):
            return resolve_name(function, scope) == "builtins.range"
        case ast.Constant(value=str() | bytes()):
            return True
        case ast.Tuple() | ast.List() as sequence:
            return _is_constant(sequence)
        case _:
            return False


def _is_constant(value: ast.expr) -> bool:
    """Return whether `value` consists of constants, nested in tuples and lists."""
    pending = [value]
    while pending:
        match pending.pop():
            case ast.Constant():
                pass
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                pending.extend(parts)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                pass
            case _:
                return False
    return True
