"""Mutators that repair a program with code that it contains elsewhere.

The mutators that create mistakes also undo many of them: the slip from `<=` to `<` is undone by the
same kind of edit. Missing code is different. Most programs contain it elsewhere, so these edits use
conditions, statements, names, numbers and strings of the same file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from grader.plugins.authoring.mutating.edits import (
    Mutator,
    ProgramEdit,
    combine_edits,
    insert_lines,
    parameters,
    reindented_source,
    replace_node,
    stored_names,
    swap_expressions,
)
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule
from grader.plugins.repairs.pools import Pool, build_pool, names_read, one_line_text, readable_names
from grader.plugins.repairs.twins import twin

_MAX_MEMBER_CHARS: Final = 30
_MAX_TEXT_CHARS: Final = 60
_MAX_LETTERS: Final = 12
"""Longer strings are not treated as collections of letters."""
_MAX_STATEMENTS: Final = 40
"""The limit on different statements that are copied to other places."""
_NUMBERS: Final = (0, 1, 2, -1)
"""Numbers that can replace any other number."""
_INDICES: Final = ("[0]", "[1]")
_WORD: Final = re.compile(r"\[\d+\]|\w+")
_RESULTS: Final = ("return True", "return False", "return None", "return set()")
_LAST_STATEMENTS: Final = ("return self", "return True", "return False")
_RETURN_OR_RAISE: Final = (ast.Return, ast.Raise)
_COPYABLE: Final = (
    *(ast.If, ast.Assert, ast.Return, ast.Raise, ast.Expr),
    *(ast.AugAssign, ast.Assign, ast.Break, ast.Delete),
)


def condition(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that extend or replace a condition with one from elsewhere in the program.

    Conditions derived from those in the same function are used too, but only as an extension.
    """
    pool = _conditions(program)
    for test in _find_tests(program):
        function = program.enclosing_function(test)
        if function is None:
            continue
        readable, test_text = readable_names(program, function), program.text(test)
        present = {
            one_line_text(program, part) for part in ast.walk(test) if isinstance(part, ast.expr)
        }
        derived = [
            text for text in _derived_conditions(program, function, test) if text not in present
        ]
        fitting = [
            text
            for text, node in pool.items()
            if text not in present and names_read(node) <= readable
        ]
        for text in (*fitting, *derived):
            for added in (text, f"not ({text})"):
                yield replace_node(program, test, f"({test_text} or {added})")
                yield replace_node(program, test, f"({test_text} and {added})")
                if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
                    # Without brackets, `and` would apply only to the last part.
                    yield replace_node(program, test, f"(({test_text}) and {added})")
        for text in fitting:
            yield replace_node(program, test, f"({text})")
            yield replace_node(program, test, f"(not ({text}))")


def missing_statement(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that insert a statement from elsewhere in the program, or a final `return`."""
    pool = list(build_pool(program, _copyable_statements(program)).values())[:_MAX_STATEMENTS]
    for function in program.defs():
        readable = readable_names(program, function)
        fitting = [node for node in pool if names_read(node) <= readable]
        for statement in _statements(function):
            for node in fitting:
                if node is not statement:
                    text = reindented_source(program, [node], statement.col_offset)
                    yield insert_lines(program, statement, text)
        last = function.body[-1]
        if isinstance(last, ast.Return | ast.Raise):
            continue  # nothing after it would run
        texts = [reindented_source(program, [node], last.col_offset) for node in fitting]
        # `return self` makes sense only in methods.
        is_method = program.enclosing_class(function) is not None
        for text in (*texts, *_LAST_STATEMENTS[0 if is_method else 1 :]):
            yield _insert_after(program, last, last, text)


def result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that put another `return` or `raise` in place of a jump or `pass`.

    The new statement is from elsewhere in the program, or returns a common result.
    """
    pool = build_pool(program, _nodes_of_kinds(program, *_RETURN_OR_RAISE))
    for node in _nodes_of_kinds(program, *_RETURN_OR_RAISE, ast.Continue, ast.Break, ast.Pass):
        function = program.enclosing_function(node)
        if function is not None:
            readable = readable_names(program, function)
            for replacement in pool.values():
                if replacement is not node and names_read(replacement) <= readable:
                    yield replace_node(program, node, program.text(replacement))
            for text in _RESULTS:
                yield replace_node(program, node, text)


def value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that replace a value with another name, attribute, number or string.

    The replacement occurs elsewhere in the program.
    """
    constants = (node.value for node in program.nodes_of_type(ast.Constant))
    texts = [text for text in dict.fromkeys(constants) if isinstance(text, str)]
    literals = [repr(text) for text in texts if len(text) <= _MAX_TEXT_CHARS]
    for function in program.defs():
        owner = program.enclosing_class(function)
        # Sorted, because the order of sets differs from run to run.
        arguments = {parameter.arg for parameter in parameters(function)}
        names = sorted(arguments | {*stored_names(function)})
        attributes = [
            program.text(node)
            for node in ast.walk(owner or function)
            if isinstance(node, ast.Attribute) and _is_self(node.value)
        ]
        alternatives = _Alternatives(
            names=names, attributes=[*dict.fromkeys(attributes)], texts=literals
        )
        for node in _replaceable_values(program, function):
            for text in alternatives.for_node(node, owner):
                if text != program.text(node):
                    yield replace_node(program, node, text)


class _Alternatives(NamedTuple):
    """The code that can take the place of a value in a function."""

    names: list[str]
    attributes: list[str]
    texts: list[str]

    def for_node(self, node: ast.expr, owner: ast.ClassDef | None) -> list[str]:
        """Return the alternatives for `node`, which might be none.

        `owner` is the class around the function, if any.
        """
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                return [*self.names, *self.attributes]
            case ast.Attribute(value=ast.Name(), ctx=ast.Load()) if _is_self(node.value):
                return self.attributes
            # An attribute that is set on the class might be meant for the instance.
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()):
                return [f"self.{attr}"] if owner is not None and name == owner.name else []
            case ast.Constant(value=str()):
                return [*self.texts, *self.names]
            # `True` and `False` are integers too.
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return [*self.names, *self.attributes, *map(str, _NUMBERS)]
            case _:
                return []


def member(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add an element from elsewhere in the program to a collection or a string."""
    collections = [*_nodes_of_kinds(program, ast.Tuple, ast.List, ast.Set)]
    texts = [
        node
        for node in program.nodes_of_type(ast.Constant)
        if isinstance(node.value, str) and 0 < len(node.value) <= _MAX_LETTERS
    ]
    letters = "".join(dict.fromkeys("".join(str(node.value) for node in texts)))
    members = [element for node in collections for element in getattr(node, "elts", ())]
    pool = build_pool(program, (*members, *texts), _MAX_MEMBER_CHARS)
    for node in collections:
        function, elements = program.enclosing_function(node), getattr(node, "elts", ())
        # An assignment target is not a collection.
        if function is None or not elements or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        readable, end = readable_names(program, function), program.span(elements[-1])[1]
        for text, element in pool.items():
            if names_read(element) <= readable:
                yield ProgramEdit(anchor=node, changes=((end, end, f", {text}"),))
    for node in texts:
        for letter in letters:
            if letter not in str(node.value):
                yield replace_node(program, node, repr(str(node.value) + letter))


def named_argument(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add or change a keyword argument, copied from another call."""
    calls = [*program.nodes_of_type(ast.Call)]
    pool = build_pool(
        program, (keyword for call in calls for keyword in call.keywords if keyword.arg)
    )
    for call in calls:
        function = program.enclosing_function(call)
        if function is None:
            continue
        readable = readable_names(program, function)
        present = {keyword.arg: keyword for keyword in call.keywords}
        last_argument = call.keywords[-1] if call.keywords else call.args[-1] if call.args else None
        for text, keyword in pool.items():
            if not names_read(keyword) <= readable:
                continue
            if keyword.arg in present:
                span = program.span(present[keyword.arg])
                yield ProgramEdit(anchor=call, changes=((*span, text),))
            elif last_argument is not None:
                end = program.span(last_argument)[1]
                yield ProgramEdit(anchor=call, changes=((end, end, f", {text}"),))


def place(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that move a statement down by one, out of its block, or into the block before."""
    for node in program.statements():
        function = program.enclosing_function(node)
        if function is None or isinstance(node, FunctionNode | ast.ClassDef):
            continue
        block, above = program.block(node), program.parents[node]
        index = block.index(node)
        if index + 1 < len(block):
            (start, _), (_, end) = program.span(node), program.span(block[index + 1])
            text = reindented_source(program, [block[index + 1], node], node.col_offset)
            yield ProgramEdit(anchor=node, changes=((start, end, text),))
        elif isinstance(above, ast.stmt) and above is not function:
            text = reindented_source(program, [node], above.col_offset)
            yield combine_edits(
                node, replace_node(program, node, "pass"), _insert_after(program, node, above, text)
            )
        previous = block[index - 1] if index else None
        if isinstance(previous, ast.For | ast.While | ast.If | ast.With | ast.Try):
            inner = previous.body[-1]
            text = reindented_source(program, [node], inner.col_offset)
            yield combine_edits(
                node, replace_node(program, node, "pass"), _insert_after(program, node, inner, text)
            )


def swap(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swap two parameters, or two indices."""
    for function in program.defs():
        for first, second in pairwise(parameters(function)):
            texts = program.text(first), program.text(second)
            changes = ((*program.span(first), texts[1]), (*program.span(second), texts[0]))
            yield ProgramEdit(anchor=function, changes=changes)
    for node in program.nodes_of_type(ast.Subscript):
        if isinstance(node.value, ast.Subscript):
            yield swap_expressions(program, node, node.slice, node.value.slice)


INGREDIENTS: Final[tuple[Mutator, ...]] = (
    *(twin, value, result, condition, missing_statement),
    *(named_argument, member, place, swap),
)


def _nodes_of_kinds(program: ReferenceModule, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    for kind in kinds:
        yield from program.nodes_of_type(kind)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _replaceable_values(program: ReferenceModule, function: FunctionNode) -> Iterator[ast.expr]:
    """Yield names, attributes and constants in `function` whose text can be replaced.

    Parts of f-strings are omitted, because their positions are wrong before Python 3.12.
    """
    for node in ast.walk(function):
        above = program.parents.get(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Constant) and not isinstance(
            above, ast.Attribute | ast.JoinedStr | ast.FormattedValue
        ):
            yield node


def _conditions(program: ReferenceModule) -> Pool[ast.expr]:
    """Return all conditions in the program, split into their smallest parts."""
    tests = [*_find_tests(program), *program.nodes_of_type(ast.BoolOp)]
    return build_pool(program, (atom for test in tests for atom in _atoms(test)))


def _atoms(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the smallest parts of a condition, without `and`, `or` and `not`."""
    match test:
        case ast.BoolOp(values=values):
            for part in values:
                yield from _atoms(part)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _atoms(operand)
        case _:
            yield test


def _find_tests(program: ReferenceModule) -> Iterator[ast.expr]:
    """Yield the conditions in `program`, and the truth values that are returned."""
    for choice in program.nodes_of_types(ast.If, ast.IfExp):
        yield choice.test
    for check in program.nodes_of_types(ast.While, ast.Assert):
        yield check.test
    for clause in program.nodes_of_type(ast.comprehension):
        yield from clause.ifs
    for node in program.nodes_of_type(ast.Return):
        if isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield node.value


def _derived_conditions(
    program: ReferenceModule, function: FunctionNode, test: ast.expr
) -> list[str]:
    """Return conditions that resemble those in `function`.

    Some are the comparisons in `test` with two names or indices swapped. The others compare a name
    or an item with 0, if `function` compares it with anything.
    """
    sides = [
        program.text(side)
        for node in ast.walk(function)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Name | ast.Subscript)
    ]
    short = [text for text in dict.fromkeys(sides) if len(text) <= _MAX_LETTERS]
    with_zero = [f"{text} {operator} 0" for text in short for operator in (">=", ">", "==")]
    atoms = [
        one_line_text(program, node) for node in ast.walk(test) if isinstance(node, ast.Compare)
    ]
    pairs = [_INDICES, *_name_pairs(function)]
    swaps = (_swap_words(text, *pair) for text in atoms for pair in pairs)
    return [*dict.fromkeys((*swaps, *with_zero))]


def _name_pairs(function: FunctionNode) -> list[tuple[str, str]]:
    """Return pairs of names: adjacent parameters, and adjacent names in an unpacking."""
    arguments = [parameter.arg for parameter in parameters(function)]
    unpacked = [
        (first.id, second.id)
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
        for first, second in pairwise(node.elts)
        if isinstance(first, ast.Name) and isinstance(second, ast.Name)
    ]
    return [*dict.fromkeys((*pairwise(arguments), *unpacked))]


def _swap_words(text: str, first: str, second: str) -> str:
    swaps = {first: second, second: first}
    return _WORD.sub(lambda word: swaps.get(word[0], word[0]), text)


def _copyable_statements(program: ReferenceModule) -> Iterator[ast.stmt]:
    """Yield the statements inside functions that a repair can copy to where they are missing.

    An `if` must have a single statement in its body, and no `else`.
    """
    for node in _nodes_of_kinds(program, *_COPYABLE):
        assert isinstance(node, ast.stmt)
        is_short = not isinstance(node, ast.If) or (len(node.body) == 1 and not node.orelse)
        if is_short and program.enclosing_function(node) is not None:
            yield node


def _statements(function: FunctionNode) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            yield node


def _insert_after(
    program: ReferenceModule, anchor: ast.stmt, statement: ast.stmt, text: str
) -> ProgramEdit:
    """Return the edit that inserts `text` on a new line after `statement`."""
    end = program.span(statement)[1]
    inserted_text = "\n" + " " * statement.col_offset + text
    return ProgramEdit(anchor=anchor, changes=((end, end, inserted_text),))
