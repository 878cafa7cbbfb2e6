"""Mutators that repair a program with code from other places in it.

The mutators that make mistakes also undo many of them: the slip from `<=` to `<` is undone by the
same kind of edit. Missing code is different. Most programs have it in another place, so these edits
use conditions, statements, names, numbers and strings of the same file.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, TypeVar

from grader.plugins.authoring.mutating.edits import (
    Mutator,
    ProgramEdit,
    inserted,
    lines_of,
    parameters,
    replaced,
    stored_names,
    swapped,
    together,
)
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule
from grader.plugins.repairs.twins import twin

_Node = TypeVar("_Node", bound=ast.AST)
_Pool: TypeAlias = dict[str, _Node]
"""Nodes by their text, without duplicates."""
_BUILTINS: Final = frozenset(vars(builtins))
_MAX_CHARS: Final = 120
"""The limit on code from another place."""
_MAX_MEMBER_CHARS: Final = 30
_MAX_TEXT_CHARS: Final = 60
_MAX_LETTERS: Final = 12
"""Strings up to this length may be collections of letters."""
_MAX_STATEMENTS: Final = 40
_NUMBERS: Final = (0, 1, 2, -1)
_INDICES: Final = ("[0]", "[1]")
_WORD: Final = re.compile(r"\[\d+\]|\w+")
_RESULTS: Final = ("return True", "return False", "return None", "return set()")
_LAST: Final = ("return self", "return True", "return False")
_ENDS: Final = (ast.Return, ast.Raise)
_MOVABLE: Final = (
    *(ast.If, ast.Assert, ast.Return, ast.Raise, ast.Expr),
    *(ast.AugAssign, ast.Assign, ast.Break, ast.Delete),
)


def condition(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add a condition from another place, or use it instead."""
    pool = _conditions(program)
    for test in _tests(program):
        function = program.function(test)
        if function is None:
            continue
        known, own = _known(program, function), program.text(test)
        here = {_flat(program, part) for part in ast.walk(test) if isinstance(part, ast.expr)}
        signs = [text for text in _signs(program, function, test) if text not in here]
        fitting = [text for text, node in pool.items() if text not in here and _read(node) <= known]
        for text in (*fitting, *signs):
            for meant in (text, f"not ({text})"):
                yield replaced(program, test, f"({own} or {meant})")
                yield replaced(program, test, f"({own} and {meant})")
                if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
                    # Without brackets, `and` would bind to the last part only.
                    yield replaced(program, test, f"(({own}) and {meant})")
        for text in fitting:
            yield replaced(program, test, f"({text})")
            yield replaced(program, test, f"(not ({text}))")


def missing_statement(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add a statement from another place."""
    pool = list(_pool(program, _movable(program)).values())[:_MAX_STATEMENTS]
    for function in program.defs():
        known = _known(program, function)
        fitting = [node for node in pool if _read(node) <= known]
        for place in _statements(function):
            for node in fitting:
                if node is not place:
                    yield inserted(program, place, lines_of(program, [node], place.col_offset))
        last = function.body[-1]
        if isinstance(last, ast.Return | ast.Raise):
            continue
        texts = [lines_of(program, [node], last.col_offset) for node in fitting]
        # `return self` makes sense in methods only.
        is_method = program.class_of(function) is not None
        for text in (*texts, *_LAST[0 if is_method else 1 :]):
            yield _behind(program, last, last, text)


def result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return or raise something else, as in another place."""
    pool = _pool(program, _each(program, *_ENDS))
    for node in _each(program, *_ENDS, ast.Continue, ast.Break, ast.Pass):
        function = program.function(node)
        if function is not None:
            known = _known(program, function)
            for other in pool.values():
                if other is not node and _read(other) <= known:
                    yield replaced(program, node, program.text(other))
            for text in _RESULTS:
                yield replaced(program, node, text)


def value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use another name, attribute, number or string of the same function, class or file."""
    constants = (node.value for node in program.each(ast.Constant))
    texts = [text for text in dict.fromkeys(constants) if isinstance(text, str)]
    shown = [repr(text) for text in texts if len(text) <= _MAX_TEXT_CHARS]
    for function in program.defs():
        owner = program.class_of(function)
        # Sorted, since the order of sets differs from run to run.
        names = sorted({each.arg for each in parameters(function)} | {*stored_names(function)})
        attributes = [
            program.text(node)
            for node in ast.walk(owner or function)
            if isinstance(node, ast.Attribute) and _is_self(node.value)
        ]
        meant = _Meant(names=names, attributes=[*dict.fromkeys(attributes)], texts=shown)
        for node in _within(program, function):
            for text in meant.for_(node, owner):
                if text != program.text(node):
                    yield replaced(program, node, text)


class _Meant(NamedTuple):
    """The alternatives for values in a function."""

    names: list[str]
    attributes: list[str]
    texts: list[str]

    def for_(self, node: ast.expr, owner: ast.ClassDef | None) -> list[str]:
        """Return the alternatives for `node`, in a method of `owner` if given."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                return [*self.names, *self.attributes]
            case ast.Attribute(value=ast.Name(), ctx=ast.Load()) if _is_self(node.value):
                return self.attributes
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()):
                return [f"self.{attr}"] if owner is not None and name == owner.name else []
            case ast.Constant(value=str()):
                return [*self.texts, *self.names]
            # True and False are integers too.
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return [*self.names, *self.attributes, *map(str, _NUMBERS)]
            case _:
                return []


def member(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add an element from another place to a collection or a string."""
    displays = [*_each(program, ast.Tuple, ast.List, ast.Set)]
    texts = [
        node
        for node in program.each(ast.Constant)
        if isinstance(node.value, str) and 0 < len(node.value) <= _MAX_LETTERS
    ]
    letters = "".join(dict.fromkeys("".join(str(node.value) for node in texts)))
    members = [each for node in displays for each in getattr(node, "elts", ())]
    pool = _pool(program, (*members, *texts), _MAX_MEMBER_CHARS)
    for node in displays:
        function, elements = program.function(node), getattr(node, "elts", ())
        # A target of an assignment is no collection.
        if function is None or not elements or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        known, end = _known(program, function), program.span(elements[-1])[1]
        for text, each in pool.items():
            if _read(each) <= known:
                yield ProgramEdit(anchor=node, changes=((end, end, f", {text}"),))
    for node in texts:
        for letter in letters:
            if letter not in str(node.value):
                yield replaced(program, node, repr(str(node.value) + letter))


def named_argument(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add or change a keyword argument, as in another call."""
    calls = [*program.each(ast.Call)]
    given = _pool(program, (each for call in calls for each in call.keywords if each.arg))
    for call in calls:
        function = program.function(call)
        if function is None:
            continue
        known, own = _known(program, function), {each.arg: each for each in call.keywords}
        before = call.keywords[-1] if call.keywords else call.args[-1] if call.args else None
        for text, each in given.items():
            if not _read(each) <= known:
                continue
            if each.arg in own:
                place = program.span(own[each.arg])
                yield ProgramEdit(anchor=call, changes=((*place, text),))
            elif before is not None:
                end = program.span(before)[1]
                yield ProgramEdit(anchor=call, changes=((end, end, f", {text}"),))


def place(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Move a statement one step in or out, or behind the next one."""
    for node in program.statements():
        function = program.function(node)
        if function is None or isinstance(node, Def | ast.ClassDef):
            continue
        block, above = program.block(node), program.parents[node]
        at = block.index(node)
        if at + 1 < len(block):
            (start, _), (_, end) = program.span(node), program.span(block[at + 1])
            text = lines_of(program, [block[at + 1], node], node.col_offset)
            yield ProgramEdit(anchor=node, changes=((start, end, text),))
        elif isinstance(above, ast.stmt) and above is not function:
            text = lines_of(program, [node], above.col_offset)
            yield together(
                node, replaced(program, node, "pass"), _behind(program, node, above, text)
            )
        before = block[at - 1] if at else None
        if isinstance(before, ast.For | ast.While | ast.If | ast.With | ast.Try):
            inner = before.body[-1]
            text = lines_of(program, [node], inner.col_offset)
            yield together(
                node, replaced(program, node, "pass"), _behind(program, node, inner, text)
            )


def swap(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swap two parameters, or two indices."""
    for function in program.defs():
        given = parameters(function)
        for one, other in pairwise(given):
            texts = program.text(one), program.text(other)
            changes = ((*program.span(one), texts[1]), (*program.span(other), texts[0]))
            yield ProgramEdit(anchor=function, changes=changes)
    for node in program.each(ast.Subscript):
        if isinstance(node.value, ast.Subscript):
            yield swapped(program, node, node.slice, node.value.slice)


INGREDIENTS: Final[tuple[Mutator, ...]] = (
    *(twin, value, result, condition, missing_statement),
    *(named_argument, member, place, swap),
)


def _each(program: ReferenceModule, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    for kind in kinds:
        yield from program.each(kind)


def _flat(program: ReferenceModule, node: ast.AST) -> str:
    return " ".join(program.text(node).split())


def _pool(
    program: ReferenceModule, nodes: Iterable[_Node], most_chars: int = _MAX_CHARS
) -> _Pool[_Node]:
    pool: _Pool[_Node] = {}
    for node in nodes:
        text = _flat(program, node)
        if len(text) <= most_chars:
            pool.setdefault(text, node)
    return pool


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _within(program: ReferenceModule, function: Def) -> Iterator[ast.expr]:
    """Yield names, attributes and constants in `function` whose text can be replaced.

    Not parts of f-strings: their positions are wrong before Python 3.12.
    """
    for node in ast.walk(function):
        above = program.parents.get(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Constant) and not isinstance(
            above, ast.Attribute | ast.JoinedStr | ast.FormattedValue
        ):
            yield node


def _known(program: ReferenceModule, function: Def) -> frozenset[str]:
    """Return the names that code of `function` may read."""
    given = [each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    module = [name for statement in program.tree.body for name in _bound(statement)]
    return _BUILTINS.union(given, stored_names(function), module)


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            # `import a.b` binds `a`
            yield from ((each.asname or each.name).partition(".")[0] for each in names)
        case _:
            yield from stored_names(statement)


def _read(node: ast.AST) -> set[str]:
    """Return the names that `node` reads without binding them."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names - {*stored_names(node)}


def _conditions(program: ReferenceModule) -> _Pool[ast.expr]:
    """Return all conditions in the program, split into their smallest parts."""
    tests = [*_tests(program), *program.each(ast.BoolOp)]
    return _pool(program, (atom for test in tests for atom in _atoms(test)))


def _atoms(test: ast.expr) -> Iterator[ast.expr]:
    match test:
        case ast.BoolOp(values=values):
            for each in values:
                yield from _atoms(each)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _atoms(operand)
        case _:
            yield test


def _tests(program: ReferenceModule) -> Iterator[ast.expr]:
    """Yield conditions, and truth values that are returned."""
    for choice in program.either(ast.If, ast.IfExp):
        yield choice.test
    for check in program.either(ast.While, ast.Assert):
        yield check.test
    for clause in program.each(ast.comprehension):
        yield from clause.ifs
    for node in program.each(ast.Return):
        if isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield node.value


def _signs(program: ReferenceModule, function: Def, test: ast.expr) -> list[str]:
    """Return conditions made from those around: with swapped names or indices, and of signs."""
    sides = [
        program.text(each)
        for node in ast.walk(function)
        if isinstance(node, ast.Compare)
        for each in (node.left, *node.comparators)
        if isinstance(each, ast.Name | ast.Subscript)
    ]
    short = [text for text in dict.fromkeys(sides) if len(text) <= _MAX_LETTERS]
    signs = [f"{text} {sign} 0" for text in short for sign in (">=", ">", "==")]
    atoms = [_flat(program, each) for each in ast.walk(test) if isinstance(each, ast.Compare)]
    pairs = [_INDICES, *_pairs(function)]
    swaps = (_swapped_words(text, one, other) for text in atoms for one, other in pairs)
    return [*dict.fromkeys((*swaps, *signs))]


def _pairs(function: Def) -> list[tuple[str, str]]:
    """Return pairs of names: neighbouring parameters, and neighbours in an unpacking."""
    given = [each.arg for each in parameters(function)]
    unpacked = [
        (one.id, other.id)
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
        for one, other in pairwise(node.elts)
        if isinstance(one, ast.Name) and isinstance(other, ast.Name)
    ]
    return [*dict.fromkeys((*pairwise(given), *unpacked))]


def _swapped_words(text: str, one: str, other: str) -> str:
    meant = {one: other, other: one}
    return _WORD.sub(lambda found: meant.get(found[0], found[0]), text)


def _movable(program: ReferenceModule) -> Iterator[ast.stmt]:
    """Yield the statements of functions that may be missing in another place."""
    for node in _each(program, *_MOVABLE):
        assert isinstance(node, ast.stmt)
        is_short = not isinstance(node, ast.If) or (len(node.body) == 1 and not node.orelse)
        if is_short and program.function(node) is not None:
            yield node


def _statements(function: Def) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            yield node


def _behind(
    program: ReferenceModule, anchor: ast.stmt, statement: ast.stmt, text: str
) -> ProgramEdit:
    """Return the edit that puts `text` on a new line after `statement`."""
    end = program.span(statement)[1]
    added = "\n" + " " * statement.col_offset + text
    return ProgramEdit(anchor=anchor, changes=((end, end, added),))
