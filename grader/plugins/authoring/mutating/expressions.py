"""Mutators of expressions, which make typing slips."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    called_name,
    rename_call,
    replace_node,
    replace_operator,
    swap_expressions,
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
    ast.BitAnd: ("|", "-"),  # also the operators of sets
    ast.BitOr: ("&",),
    ast.BitXor: ("|",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}


def _both_ways(*pairs: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """Return a table of replacements in which each name of a pair replaces the other."""
    return {
        name: (replacement,)
        for first, second in pairs
        for name, replacement in ((first, second), (second, first))
    }


_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    **_both_ways(
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
    **_both_ways(
        ("any", "all"), ("min", "max"), ("ceil", "floor"), ("permutations", "combinations")
    ),
    "sorted": ("list",),
    "reversed": ("list",),
}
_FUNCTIONS_WITH_FIXED_ORDER: Final = {
    "isinstance",
    "issubclass",
    "range",
    "getattr",
    "hasattr",
    "zip",
}
"""Functions whose arguments are never swapped, because almost any call would reveal it."""


def comparison(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that change a comparison operator, at each position of a chain."""
    for node in program.nodes_of_type(ast.Compare):
        operands = [node.left, *node.comparators]
        for index, op in enumerate(node.ops):
            left, right = operands[index : index + 2]
            # Other operators are often equivalent for lengths: `len(x) <= 0`, or
            # `len(set(x)) >= len(x)`.
            is_length_equality = isinstance(op, ast.Eq) and any(
                isinstance(side, ast.Call) and called_name(side) == "len" for side in (left, right)
            )
            for new_operator in _COMPARISONS[type(op)]:
                if new_operator == "!=" or not is_length_equality:
                    yield from replace_operator(program, node, left, right, new_operator)


def arithmetic(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that change an arithmetic operator, or change or remove the one in `x += 1`."""
    for node in program.nodes_of_type(ast.BinOp):
        for new_operator in _ARITHMETIC.get(type(node.op), ()):
            yield from replace_operator(program, node, node.left, node.right, new_operator)
    for assignment in program.nodes_of_type(ast.AugAssign):
        # With an empty operator, `x += 1` becomes `x = 1`.
        for new_operator in (*_ARITHMETIC.get(type(assignment.op), ()), ""):
            target, value = assignment.target, assignment.value
            yield from replace_operator(program, assignment, target, value, f"{new_operator}=")


def logic(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swap `and` and `or` between two operands."""
    for node in program.nodes_of_type(ast.BoolOp):
        new_operator = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from replace_operator(program, node, left, right, new_operator)


def operand(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that remove one operand of `and`, `or` or an arithmetic operator."""
    for node in program.nodes_of_type(ast.BoolOp):
        joiner = " and " if isinstance(node.op, ast.And) else " or "
        for removed in node.values:
            remaining = [
                program.parenthesized(value) for value in node.values if value is not removed
            ]
            yield replace_node(
                program, node, f"({joiner.join(remaining)})" if len(remaining) > 1 else remaining[0]
            )
    for binary in program.nodes_of_type(ast.BinOp):
        yield replace_node(program, binary, program.parenthesized(binary.left))
        if not isinstance(binary.op, ast.Sub | ast.FloorDiv | ast.Div | ast.Mod):
            yield replace_node(program, binary, program.parenthesized(binary.right))


def sign(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that remove a unary operator, such as `not` or a minus sign."""
    for node in program.nodes_of_type(ast.UnaryOp):
        yield replace_node(program, node, program.parenthesized(node.operand))


def condition(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that negate a condition, or make it always true or always false."""
    for choice in program.nodes_of_types(ast.If, ast.IfExp):
        yield from _negate(program, choice.test)
        yield replace_node(program, choice.test, "False")
        yield replace_node(program, choice.test, "True")
    for loop in program.nodes_of_type(ast.While):
        yield from _negate(program, loop.test)
        # Not `True`, because any suite notices an endless loop, but only at the time limit.
        yield replace_node(program, loop.test, "False")
    for assertion in program.nodes_of_type(ast.Assert):
        yield from _negate(program, assertion.test)
    for clause in program.nodes_of_type(ast.comprehension):
        for test in clause.ifs:
            yield from _negate(program, test)
            yield replace_node(program, test, "True")


def _negate(program: ReferenceModule, test: ast.expr) -> Iterator[ProgramEdit]:
    """Yield the edit that negates `test`, unless another mutator changes it.

    Comparisons and `not` have mutators of their own.
    """
    is_comparison = isinstance(test, ast.Compare) and len(test.ops) == 1
    if not is_comparison and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        yield replace_node(program, test, f"not {program.parenthesized(test)}")


def number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add 1 to a number, subtract 1 from an integer, or swap True and False."""
    for node in program.nodes_of_type(ast.Constant):
        match node.value:
            # Must precede `int`, because True and False are integers too.
            case bool():
                yield replace_node(program, node, str(not node.value))
            case int():
                # In brackets, because `-1 ** 2` means `-(1 ** 2)`.
                for neighbour in (node.value + 1, node.value - 1):
                    yield replace_node(
                        program, node, str(neighbour) if neighbour >= 0 else f"({neighbour})"
                    )
            case float():
                yield replace_node(program, node, repr(node.value + 1))


def string(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add a character to a string or empty it. F-strings are not emptied."""
    for node in program.nodes_of_type(ast.Constant):
        if isinstance(node.value, str):
            yield replace_node(program, node, repr(node.value + "X"))
            yield replace_node(program, node, '""')
    for formatted in program.nodes_of_type(ast.JoinedStr):
        yield replace_node(program, formatted, f'({program.text(formatted)} + "X")')


def method(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that call another method with a similar name or purpose."""
    for node in program.nodes_of_type(ast.Call):
        if isinstance(node.func, ast.Attribute) and not _is_module_function(program, node):
            for new_name in _METHODS.get(node.func.attr, ()):
                yield ProgramEdit(anchor=node, changes=(rename_call(program, node, new_name),))


def function(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that call another standard function with a similar purpose."""
    for node in program.nodes_of_type(ast.Call):
        for new_name in _FUNCTIONS.get(called_name(node), ()):
            yield ProgramEdit(anchor=node, changes=(rename_call(program, node, new_name),))


def call(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use a value without calling the function or method on it."""
    for node in program.nodes_of_type(ast.Call):
        if isinstance(program.parents[node], ast.Expr):  # the value is not used
            continue
        match node:
            case ast.Call(func=ast.Attribute(value=value), args=[]):
                if not (isinstance(value, ast.Name) and value.id in {"self", "cls"}):
                    yield replace_node(program, node, program.parenthesized(value))
            case ast.Call(func=ast.Name(), args=[ast.expr() as value], keywords=[]):
                # `*x` and `x for x in y` are not expressions without the brackets of the call.
                if not isinstance(value, ast.Starred | ast.GeneratorExp):
                    yield replace_node(program, node, program.parenthesized(value))


def arguments(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swap two neighbouring arguments that are the same kind of expression."""
    for node in program.nodes_of_type(ast.Call):
        if called_name(node) not in _FUNCTIONS_WITH_FIXED_ORDER:
            for first, second in zip(node.args, node.args[1:], strict=False):
                if type(first) is type(second) and not isinstance(first, ast.Starred):
                    yield swap_expressions(program, node, first, second)


def members(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swap the two members of a tuple, including in an unpacking."""
    for node in program.nodes_of_type(ast.Tuple):
        if len(node.elts) == 2 and not isinstance(node.elts[0], ast.Constant):
            yield swap_expressions(program, node, *node.elts)


def slice_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that remove a slice bound or make it one higher or lower."""
    for node in program.nodes_of_type(ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield replace_node(program, bound, "")
                yield from _shift(program, bound)


def range_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that make a bound of a range one higher or lower, or start the range at 1."""
    for node in program.nodes_of_type(ast.Call):
        if called_name(node) != "range" or not node.args:
            continue
        if len(node.args) == 1:
            yield replace_node(program, node.args[0], f"1, {program.text(node.args[0])}")
        for bound in node.args[:2]:
            yield from _shift(program, bound)


def index(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that make an index one higher or lower."""
    for node in program.nodes_of_type(ast.Subscript):
        if isinstance(node.slice, ast.Name | ast.BinOp | ast.Call):
            yield from _shift(program, node.slice)


def _shift(program: ReferenceModule, bound: ast.expr) -> Iterator[ProgramEdit]:
    """Yield edits that make `bound` one higher and one lower.

    Yield nothing if the mutator `number` can change a constant in `bound`.
    """
    if not any(isinstance(part, ast.Constant) for part in [bound, *ast.iter_child_nodes(bound)]):
        yield replace_node(program, bound, f"{program.parenthesized(bound)} + 1")
        yield replace_node(program, bound, f"{program.parenthesized(bound)} - 1")


def keyword(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit the argument `key`, `reverse`, `default` or `start` of a call."""
    for node in program.nodes_of_type(ast.Call):
        for argument in node.keywords:
            if argument.arg in {"key", "reverse", "default", "start"}:
                start, end = program.span(argument)
                preceding = [*node.args, *node.keywords[: node.keywords.index(argument)]]
                # Start after the preceding argument, to remove the comma too.
                start = program.span(preceding[-1])[1] if preceding else start
                yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def _is_module_function(program: ReferenceModule, node: ast.Call) -> bool:
    """Return whether `node` calls a function of an imported module, not a method."""
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
