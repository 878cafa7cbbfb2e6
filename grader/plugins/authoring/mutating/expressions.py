"""Mutators of expressions: slips of the pen."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    called_name,
    operator_replaced,
    renamed,
    replaced,
    swapped,
)
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule

_COMPARISONS: Final[Mapping[type[ast.cmpop], tuple[str, ...]]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=", "<=", ">="),
    ast.NotEq: ("==",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
_ARITHMETIC: Final[Mapping[type[ast.operator], tuple[str, ...]]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+",),
    ast.Div: ("*",),
    ast.FloorDiv: ("*", "%"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
    ast.BitAnd: ("|", "-"),
    ast.BitOr: ("&",),
    ast.BitXor: ("|",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}


def _either_for_the_other(*pairs: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    return {name: (other,) for one, two in pairs for name, other in ((one, two), (two, one))}


_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    **_either_for_the_other(
        ("append", "extend"),
        ("union", "intersection"),
        ("issubset", "issuperset"),
        ("upper", "lower"),
        ("lstrip", "rstrip"),
        ("rjust", "ljust"),
        ("keys", "values"),
        ("startswith", "endswith"),
        ("isdigit", "isalpha"),
    ),
    "add": ("discard",),
    "discard": ("add", "remove"),
    "remove": ("discard",),
    "update": ("difference_update",),
    "difference": ("intersection",),
    "isdisjoint": ("issubset",),
    "strip": ("lstrip", "rstrip"),
    "split": ("splitlines",),
    "items": ("keys",),
    "find": ("rfind",),
    "index": ("count",),
}
_FUNCTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    **_either_for_the_other(
        ("any", "all"), ("min", "max"), ("ceil", "floor"), ("permutations", "combinations")
    ),
    "sorted": ("list",),
    "reversed": ("list",),
}
_NO_SWAP: Final = {"isinstance", "issubclass", "range", "getattr", "hasattr", "zip"}
"""Functions that fail right away if their arguments are swapped."""


def comparison(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use another comparison operator, at each position of a chain."""
    for node in program.each(ast.Compare):
        operands = [node.left, *node.comparators]
        for index, op in enumerate(node.ops):
            left, right = operands[index : index + 2]
            # Often equivalent for lengths: `len(x) <= 0`, or `len(set(x)) >= len(x)`.
            is_count = isinstance(op, ast.Eq) and any(
                isinstance(each, ast.Call) and called_name(each) == "len" for each in (left, right)
            )
            for text in _COMPARISONS[type(op)]:
                if text == "!=" or not is_count:
                    yield from operator_replaced(program, node, left, right, text)


def arithmetic(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use another arithmetic operator, in assignments such as `x += 1` too."""
    for node in program.each(ast.BinOp):
        for text in _ARITHMETIC.get(type(node.op), ()):
            yield from operator_replaced(program, node, node.left, node.right, text)
    for assignment in program.each(ast.AugAssign):
        for text in (*_ARITHMETIC.get(type(assignment.op), ()), ""):  # `x += 1` becomes `x = 1`
            target, value = assignment.target, assignment.value
            yield from operator_replaced(program, assignment, target, value, f"{text}=")


def logic(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swap `and` and `or` between each two operands."""
    for node in program.each(ast.BoolOp):
        text = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from operator_replaced(program, node, left, right, text)


def operand(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Remove one operand of `and`, `or` or an arithmetic operator."""
    for node in program.each(ast.BoolOp):
        word = " and " if isinstance(node.op, ast.And) else " or "
        for gone in node.values:
            rest = [program.tight(value) for value in node.values if value is not gone]
            yield replaced(program, node, f"({word.join(rest)})" if len(rest) > 1 else rest[0])
    for binary in program.each(ast.BinOp):
        yield replaced(program, binary, program.tight(binary.left))
        if not isinstance(binary.op, ast.Sub | ast.FloorDiv | ast.Div | ast.Mod):
            yield replaced(program, binary, program.tight(binary.right))


def sign(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Remove a `not` or a minus."""
    for node in program.each(ast.UnaryOp):
        yield replaced(program, node, program.tight(node.operand))


def condition(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Negate a condition, or make it always true or always false."""
    for choice in program.either(ast.If, ast.IfExp):
        yield from _negated(program, choice.test)
        yield replaced(program, choice.test, "False")
        yield replaced(program, choice.test, "True")
    for loop in program.each(ast.While):
        yield from _negated(program, loop.test)
        yield replaced(program, loop.test, "False")
    for assertion in program.each(ast.Assert):
        yield from _negated(program, assertion.test)
    for clause in program.each(ast.comprehension):
        for test in clause.ifs:
            yield from _negated(program, test)
            yield replaced(program, test, "True")


def _negated(program: ReferenceModule, test: ast.expr) -> Iterator[ProgramEdit]:
    """Yield the negation of `test`; comparisons and `not` are left to other mutators."""
    compared = isinstance(test, ast.Compare) and len(test.ops) == 1
    if not compared and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        yield replaced(program, test, f"not {program.tight(test)}")


def number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Make a number one higher or lower, or swap True and False."""
    for node in program.each(ast.Constant):
        match node.value:
            # Before `int`, as True and False are integers too.
            case bool():
                yield replaced(program, node, str(not node.value))
            case int():
                # In brackets: `-1 ** 2` is `-(1 ** 2)`.
                for other in (node.value + 1, node.value - 1):
                    yield replaced(program, node, str(other) if other >= 0 else f"({other})")
            case float():
                yield replaced(program, node, repr(node.value + 1))


def string(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add a character to a string, or empty it."""
    for node in program.each(ast.Constant):
        if isinstance(node.value, str):
            yield replaced(program, node, repr(node.value + "X"))
            yield replaced(program, node, '""')
    for formatted in program.each(ast.JoinedStr):
        yield replaced(program, formatted, f'({program.text(formatted)} + "X")')


def method(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Call another method of similar name or purpose."""
    for node in program.each(ast.Call):
        if isinstance(node.func, ast.Attribute):
            for text in _METHODS.get(node.func.attr, ()) if not _of_module(program, node) else ():
                yield ProgramEdit(anchor=node, changes=(renamed(program, node, text),))


def function(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Call another built-in function of similar purpose."""
    for node in program.each(ast.Call):
        for text in _FUNCTIONS.get(called_name(node), ()):
            yield ProgramEdit(anchor=node, changes=(renamed(program, node, text),))


def call(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use a value without calling the function or method on it."""
    for node in program.each(ast.Call):
        if isinstance(program.parents[node], ast.Expr):  # nobody uses its value
            continue
        match node:
            case ast.Call(func=ast.Attribute(value=value), args=[]):
                if not (isinstance(value, ast.Name) and value.id in {"self", "cls"}):
                    yield replaced(program, node, program.tight(value))
            case ast.Call(func=ast.Name(), args=[ast.expr() as value], keywords=[]):
                # Neither is an expression without the brackets of the call.
                if not isinstance(value, ast.Starred | ast.GeneratorExp):
                    yield replaced(program, node, program.tight(value))


def arguments(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swap two neighbouring arguments of the same form."""
    for node in program.each(ast.Call):
        if called_name(node) not in _NO_SWAP:
            for one, other in zip(node.args, node.args[1:], strict=False):
                if type(one) is type(other) and not isinstance(one, ast.Starred):
                    yield swapped(program, node, one, other)


def members(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swap the members of a pair, or two names of an unpacking."""
    for node in program.each(ast.Tuple):
        if len(node.elts) == 2 and not isinstance(node.elts[0], ast.Constant):
            yield swapped(program, node, *node.elts)


def slice_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Remove a bound of a slice, or make it one higher or lower."""
    for node in program.each(ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield replaced(program, bound, "")
                yield from _shifted(program, bound)


def range_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Make a bound of a range one higher or lower, or start at 1."""
    for node in program.each(ast.Call):
        if called_name(node) != "range" or not node.args:
            continue
        if len(node.args) == 1:
            yield replaced(program, node.args[0], f"1, {program.text(node.args[0])}")
        for bound in node.args[:2]:
            yield from _shifted(program, bound)


def index(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Make an index one higher or lower."""
    for node in program.each(ast.Subscript):
        if isinstance(node.slice, ast.Name | ast.BinOp | ast.Call):
            yield from _shifted(program, node.slice)


def _shifted(program: ReferenceModule, bound: ast.expr) -> Iterator[ProgramEdit]:
    """Yield `bound` one higher and one lower, unless `number` can change a constant in it."""
    if not any(isinstance(part, ast.Constant) for part in [bound, *ast.iter_child_nodes(bound)]):
        yield replaced(program, bound, f"{program.tight(bound)} + 1")
        yield replaced(program, bound, f"{program.tight(bound)} - 1")


def keyword(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Omit a keyword argument."""
    for node in program.each(ast.Call):
        for given in node.keywords:
            if given.arg in {"key", "reverse", "default", "start"}:
                start, end = program.span(given)
                before = [*node.args, *node.keywords[: node.keywords.index(given)]]
                # From the end of the argument before it, to remove the comma too.
                start = program.span(before[-1])[1] if before else start
                yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def _of_module(program: ReferenceModule, node: ast.Call) -> bool:
    """Return whether the call is of a function of an imported module, not of a method."""
    imported = {
        alias.asname or alias.name
        for statement in program.tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    }
    match node.func:
        case ast.Attribute(value=ast.Name(id=name)):
            return name in imported
        case _:
            return False
