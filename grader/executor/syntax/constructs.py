"""Finds the constructs that a module uses, under their names in rules.

The place of a compound statement is its keyword; the place of anything else is all of it:

- `for` and `while` are statements, `async for` included; a loop in a comprehension is not one.
- The four comprehensions are expressions, also where one is the only argument of a call.
- `decorator` is the expression after the `@`; `star argument` is `*args` or `**kwargs` in the
  heading of a `def`; `nested function` is a `def` directly in another one, not a method.
- `with` and `async` include `async with` and `async def`; `yield` and `try` include `yield from`
  and `except*`.
- `if` is a statement, `elif` included; `import` is any statement that imports; an `index` may be
  read or written, and is distinct from a `slice`, whose place is all of `x[1:2]`.
- A `number literal` or `text literal` is part of an expression; docstrings and the parts of an
  f-string do not count. A `tuple literal` is neither the target of an assignment nor an index.
- An `f-string` in the format of another one is part of that one.
- A call of `type` with several arguments counts as a `class`; `type(x)` does not.
- A function such as `map` is used where its name is read, called or not, and means the built-in;
  so is `builtins.map`. `reduce` is that of `functools`, under any name. Annotations do not count.

A comprehension *initialises* if it only gives a data structure its first content: each of its loops
is over `range(...)`, or over a literal sequence of constants, without conditions; and its elements
are constants and names, tuples, lists, sets and dicts of such, arithmetic on such, empty containers
(`set()`), a `bytearray`, and comprehensions that initialise. An index, an attribute or any other
call works on data.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from grader.executor.syntax.names import dotted
from grader.executor.syntax.source import ModuleText, Place
from grader.executor.syntax.tree import (
    ComprehensionNode,
    Function,
    Module,
    Scope,
    ScopeKind,
    Visit,
    elements,
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
_BYTES: Final = "builtins.bytearray"
_NAMES: Final = frozenset({ast.Name, ast.Attribute, ast.Call})
_EMPTY_CONTAINERS: Final = frozenset(
    f"builtins.{name}" for name in ("dict", "frozenset", "list", "set", "tuple")
)


class Use(NamedTuple):
    """One use of a construct, or of another sought word."""

    word: str
    place: Place
    function: Function | None
    initialises: bool = False
    doubt: str = CERTAIN
    """Why it may not count: `own` if it is an attribute of the submission's own, or `dead` code."""


def uses(module: Module) -> Iterator[Use]:
    """Yield all constructs that `module` uses."""
    for visit in module.visits:
        yield from _uses_at(visit, module)
    for function in module.functions:
        yield from _in_heading(function, module.source)


def _uses_at(visit: Visit, module: Module) -> Iterator[Use]:
    """Yield the uses of constructs by the node of `visit` itself."""
    node: Any = visit.node
    kind, source, owner = type(node), module.source, visit.owner
    if kind in _COMPOUND:
        yield Use(_COMPOUND[kind], source.keyword(node), owner)
    elif kind in _SIMPLE:
        yield Use(_SIMPLE[kind], source.place(node), owner)
    elif kind in _COMPREHENSIONS:
        initialises = _initialises(node, visit.scope, module)
        yield Use(_COMPREHENSIONS[kind], source.place(node), owner, initialises)
    elif kind is ast.JoinedStr and not _is_format(visit):
        yield Use("f-string", source.place(node), owner)
    elif kind is ast.Subscript and not visit.in_annotation:
        yield Use(
            "slice" if isinstance(node.slice, ast.Slice) else "index", source.place(node), owner
        )
    elif kind in _LITERALS and (literal := _literal(visit)) is not None:
        yield Use(literal, source.place(node), owner)
    elif kind is ast.Call and _makes_class(node, visit.scope):
        yield Use("class", source.place(node), owner)
    elif kind in _NAMES and (name := read_name(visit)) in _FUNCTIONS:
        yield Use(_FUNCTIONS[name], source.place(node), owner)
    if kind is ast.ClassDef:
        yield from _decorators(node, source, owner)


def _makes_class(call: ast.Call, scope: Scope) -> bool:
    """Return whether `call` makes a class, or may do so."""
    is_question = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
    return not is_question and dotted(call.func, scope) == "builtins.type"


def _literal(visit: Visit) -> str | None:
    """Return the kind of the literal at `visit`, or None if it does not count."""
    node: Any = visit.node
    if not isinstance(node, ast.Constant):
        is_target = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        is_index = isinstance(node, ast.Tuple) and isinstance(visit.parent, ast.Subscript)
        return None if visit.in_annotation or is_target or is_index else _LITERALS[type(node)]
    return _CONSTANT_LITERALS.get(type(node.value)) if is_written_value(visit) else None


def is_written_value(visit: Visit) -> bool:
    """Return whether the constant at `visit` is neither a docstring nor a part of an f-string."""
    return not visit.in_annotation and not isinstance(visit.parent, ast.Expr | ast.JoinedStr)


def read_name(visit: Visit) -> str | None:
    """Return the full name of the built-in or imported object read at `visit`, if any."""
    node: Any = visit.node
    is_set = isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    if visit.in_annotation or is_set:
        return None
    return dotted(node, visit.scope)


def _in_heading(function: Function, source: ModuleText) -> Iterator[Use]:
    """Yield the constructs in the heading of `function`."""
    node = function.node
    yield from _decorators(node, source, function)
    if isinstance(node, ast.AsyncFunctionDef):
        yield Use("async", source.keyword(node), function)
    parent = function.scope.parent
    if parent is not None and parent.kind is ScopeKind.FUNCTION:
        yield Use("nested function", source.keyword(node), parent.function)
    for argument in (node.args.vararg, node.args.kwarg):
        if argument is not None:
            yield Use("star argument", source.star_before(argument), function)


def _decorators(
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    source: ModuleText,
    function: Function | None,
) -> Iterator[Use]:
    for decorator in node.decorator_list:
        yield Use("decorator", source.place(decorator), function)


def _is_format(visit: Visit) -> bool:
    parent = visit.parent
    return isinstance(parent, ast.FormattedValue) and parent.format_spec is visit.node


def _initialises(node: ComprehensionNode, scope: Scope, module: Module) -> bool:
    """Return whether `node`, in `scope`, initialises, as defined at the top of this module."""
    pending: list[tuple[ast.expr, Scope]] = [(node, scope)]
    while pending:
        value, value_scope = pending.pop()
        inner = module.inner.get(value, value_scope)
        parts = _initialising_parts(value, value_scope, inner)
        if parts is None:
            return False
        pending.extend((part, inner) for part in parts)
    return True


def _initialising_parts(value: ast.expr, scope: Scope, inner: Scope) -> list[ast.expr] | None:
    """Return the parts that must initialise if `value` is to, or None if it cannot."""
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
            name = dotted(function, scope)
            parts = args if name == _BYTES or (name in _EMPTY_CONTAINERS and not args) else None
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            first, *others = value.generators
            is_constant = _has_constant_iterable(first, scope) and all(
                _has_constant_iterable(each, inner) for each in others
            )
            parts = elements(value) if is_constant else None
    return parts


def _has_constant_iterable(generator: ast.comprehension, scope: Scope) -> bool:
    """Return whether a loop of a comprehension is over a range or over constants."""
    if generator.ifs or generator.is_async:
        return False
    match generator.iter:
        case ast.Call(func=function, args=[_, *_], keywords=[]):
            return dotted(function, scope) == "builtins.range"
        case ast.Constant(value=str() | bytes()):
            return True
        case ast.Tuple() | ast.List() as sequence:
            return _is_constant(sequence)
        case _:
            return False


def _is_constant(value: ast.expr) -> bool:
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
