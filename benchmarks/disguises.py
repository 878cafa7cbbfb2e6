"""Disguises of a copied program, as students make them: each changes the text and not the answers.

They know nothing of how hand-ins are compared. Which places they change follows from the seed.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

Disguise: TypeAlias = Callable[[str, random.Random], str]
_WORDS: Final = ("hulp", "waarde", "rij", "lijst", "nieuw", "oud", "deel", "stap", "plek", "soort")
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SIMPLE: Final = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_SWAPPED: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_PLAIN: Final = re.compile(r"\s*[\w.\[\]]+ \+?= [^'\"]*$")
_DEAD: Final = (
    "if len('abc') > 10:\n    return None",
    "teller_{0} = 0\nteller_{0} += 1",
    "rest_{0} = []\nrest_{0}.append({0})",
    "if False:\n    print('{0}')",
    "ongebruikt_{0} = {0} * 2 + 1",
    "for i_{0} in range(0):\n    print(i_{0})",
)
_DEAD_FUNCTION: Final = """
def reserve_{0}(a, b=None):
    som = 0
    for each in [a, b]:
        if each is None:
            continue
        som = som + len(str(each))
    if som > {0}:
        return som - 1
    return [som, a]
"""


def _written(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _names(nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> list[str]:
    found = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name))
    return list(dict.fromkeys(each.id for each in found if isinstance(each.ctx, context)))


def renamed(source: str, chance: random.Random) -> str:
    """Give another name to all that the program has named itself."""
    tree = ast.parse(source)
    own: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                own[name] = None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                own[name] = None
    new = {
        name: f"{chance.choice(_WORDS)}_{number}"
        for number, name in enumerate(own)
        if not name.startswith("__") and name not in dir(builtins)
    }
    for node in ast.walk(tree):
        for field in ("id", "arg", "name", "attr"):
            if isinstance(known := getattr(node, field, None), str):
                setattr(node, field, new.get(known, known))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [new.get(name, name) for name in node.names]
    return _written(tree)


def reordered(source: str, chance: random.Random) -> str:
    """Put functions, and the methods of each class, in another order."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            places = [i for i, each in enumerate(node.body) if isinstance(each, _FUNCTIONS)]
            moved = [node.body[place] for place in places]
            chance.shuffle(moved)
            for place, each in zip(places, moved, strict=True):
                node.body[place] = each
    return _written(tree)


def padded(source: str, chance: random.Random) -> str:
    """Add code that does nothing: functions that nobody calls, statements without effect."""
    tree = ast.parse(source)
    for number, function in enumerate(_functions(tree)):
        for block in _blocks(function):
            if chance.random() < 0.6:
                added = chance.choice(_DEAD).format(chance.randrange(2, 99))
                place = chance.randrange(len(block))
                if block is function.body and ast.get_docstring(function) is not None:
                    place = max(1, place)
                block[place:place] = ast.parse(added).body
        if number % 3 == 0:
            tree.body += ast.parse(_DEAD_FUNCTION.format(chance.randrange(99))).body
    return _written(tree)


def commented(source: str, chance: random.Random) -> str:
    """Take the comments away, and write others, and docstrings."""
    tree = ast.parse(source)
    for function in _functions(tree):
        if ast.get_docstring(function) is not None and len(function.body) > 1:
            del function.body[0]
        said = f"Doet {chance.choice(_WORDS)} met {chance.choice(_WORDS)}."
        function.body.insert(0, ast.Expr(ast.Constant(said)))
    lines = []
    for line in _written(tree).split("\n"):
        if line.strip() and "'" not in line and '"' not in line and chance.random() < 0.4:
            lines.append(f"{line[: len(line) - len(line.lstrip())]}# {chance.choice(_WORDS)}")
        lines.append(line)
    return "\n".join(lines)


class _Splitter:
    """Takes an expression out of each simple statement, and gives it a name before."""

    def __init__(self, chance: random.Random) -> None:
        self._chance: Final = chance
        self._count = 0

    def split(self, tree: ast.Module) -> None:
        """Do so in `tree`."""
        for block in list(_blocks(tree)):
            block[:] = [new for each in block for new in self._split(each)]

    def _split(self, node: ast.stmt) -> list[ast.stmt]:
        value = getattr(node, "value", None)
        if not isinstance(node, _SIMPLE) or self._chance.random() < 0.3:
            return [node]
        operands: Sequence[ast.expr] = ()
        if isinstance(value, ast.Call):
            operands = value.args
        elif isinstance(value, ast.BinOp):
            operands = [value.left]
        elif isinstance(node, ast.Return) and isinstance(value, ast.expr):
            operands = [value]
        for operand in operands:
            if not isinstance(operand, (ast.Name, ast.Constant, ast.Starred)):
                self._count += 1
                name = f"tussen_{self._count}"
                before = ast.Assign([ast.Name(name, ast.Store())], operand)
                _put(node, operand, ast.Name(name, ast.Load()))
                return [before, node]
        return [node]


def _put(tree: ast.AST, old: ast.expr, new: ast.expr) -> None:
    """Put one expression in the place of another in `tree`."""
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            if value is old:
                setattr(owner, field, new)
            elif isinstance(value, list):
                value[:] = [new if each is old else each for each in value]


def split(source: str, chance: random.Random) -> str:
    """Write one statement as two, and two lines as one."""
    tree = ast.parse(source)
    _Splitter(chance).split(tree)
    lines: list[str] = []
    for line in _written(tree).split("\n"):
        indent = len(line) - len(line.lstrip())
        before = lines[-1] if lines else ""
        is_fit = _PLAIN.match(line) and _PLAIN.match(before)
        if is_fit and indent == len(before) - len(before.lstrip()) and chance.random() < 0.5:
            lines[-1] = f"{before}; {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


class _Looper(ast.NodeTransformer):
    """Writes `for` as `while`."""

    def __init__(self, chance: random.Random) -> None:
        self._chance: Final = chance
        self._count = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        """Count by hand where it is a range of names; else go through a list."""
        self.generic_visit(node)
        if node.orelse:
            return node
        self._count += 1
        jumps = any(isinstance(each, ast.Continue) for each in ast.walk(node))
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[*first, end]) if (
                len(first) < 2 and isinstance(node.target, ast.Name) and not jumps
            ):
                name, begin = node.target.id, ast.unparse(first[0]) if first else "0"
                lines = f"{name} = {begin}\nwhile {name} < {ast.unparse(end)}:\n    {name} += 1"
                start, loop = ast.parse(lines).body
                assert isinstance(loop, ast.While)
                loop.body[:0] = node.body
                return [start, loop]
        number, items = self._count, ast.unparse(node.iter)
        lines = (
            f"alles_{number} = list({items})\nnummer_{number} = 0\n"
            f"while nummer_{number} < len(alles_{number}):\n"
            f"    {ast.unparse(node.target)} = alles_{number}[nummer_{number}]\n"
            f"    nummer_{number} += 1"
        )
        everything, count, loop = ast.parse(lines).body
        place = 2 if jumps or self._chance.random() < 0.5 else 1
        assert isinstance(loop, ast.While)
        loop.body[place:place] = node.body
        return [everything, count, loop]


def looped(source: str, chance: random.Random) -> str:
    """Write `for` as `while`."""
    return _written(_Looper(chance).visit(ast.parse(source)))


def extracted(source: str, chance: random.Random) -> str:
    """Move the end of functions into helpers, and put helpers of one line where they are called."""
    tree = ast.parse(source)
    _inline(tree)
    for number, function in enumerate(_functions(tree)):
        body = function.body
        start = max(1, len(body) // 2)
        tail = body[start:]
        is_generator = any(
            isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function)
        )
        names = _names(body[:start], ast.Store) + [each.arg for each in function.args.args]
        is_odd = is_generator or any(
            isinstance(each, (ast.Nonlocal, ast.Global, ast.Lambda, *_FUNCTIONS))
            for node in body
            for each in ast.walk(node)
        )
        if len(body) < 3 or is_odd or function.name.startswith("__") or chance.random() < 0.2:
            continue
        needed = [name for name in _names(tail, ast.Load) if name in names]
        called = f"vervolg_{number}({', '.join(needed)})"
        helper = ast.parse(f"def vervolg_{number}({', '.join(needed)}): pass").body[0]
        assert isinstance(helper, ast.FunctionDef)
        helper.body = tail
        function.body = [*body[:start], *ast.parse(f"return {called}").body]
        tree.body.append(helper)
    return _written(tree)


def _inline(tree: ast.Module) -> None:
    """Put functions that only return an expression of plain arguments where they are called."""
    short: dict[str, ast.FunctionDef] = {}
    for each in _functions(tree):
        if not each.name.startswith("__") and len(each.body) == 1:
            match each.body[0]:
                case ast.Return(value=ast.expr()) if not each.decorator_list:
                    short[each.name] = each
    for node in list(ast.walk(tree)):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.Call) and (made := _inlined(value, short)) is not None:
                setattr(node, field, made)


def _inlined(call: ast.Call, short: Mapping[str, ast.FunctionDef]) -> ast.expr | None:
    match call.func:
        case ast.Name(id=name) if name in short:
            given = call.args
        case ast.Attribute(value=ast.Name() as owner, attr=name) if name in short:
            given = [owner, *call.args]
        case _:
            return None
    names = [each.arg for each in short[name].args.args]
    if len(names) != len(given) or call.keywords:
        return None
    if not all(isinstance(each, (ast.Name, ast.Constant, ast.Attribute)) for each in given):
        return None
    returned = short[name].body[0]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    made = ast.parse(ast.unparse(returned.value), mode="eval").body
    by_name = dict(zip(names, given, strict=True))
    for node in list(ast.walk(made)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            return None
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.Name) and value.id in by_name:
                setattr(node, field, by_name[value.id])
            elif isinstance(value, list):
                value[:] = [by_name.get(getattr(each, "id", ""), each) for each in value]
    return by_name[made.id] if isinstance(made, ast.Name) and made.id in by_name else made


def reformatted(source: str, chance: random.Random) -> str:
    """Indent otherwise, set blanks and brackets otherwise, break lines, and quote otherwise."""
    lines = []
    for line in _written(ast.parse(source)).split("\n"):
        code = line.lstrip(" ")
        depth = (len(line) - len(code)) // 4
        if "'" not in code and '"' not in code:
            code = code.replace(", ", ",") if chance.random() < 0.5 else code.replace(" = ", "=")
            code = re.sub(r"^return (?!\()(.+)$", r"return (\1)", code)
            code = re.sub(r"^(if|while) (?!\()(.+):$", r"\1 (\2):", code)
        lines += [f"{'  ' * depth}{code}"] + [""] * (chance.random() < 0.2)
    return "\n".join(lines)


class _Swapper(ast.NodeTransformer):
    """Turns operands around, and changes texts and numbers."""

    def __init__(self, chance: random.Random) -> None:
        self._chance: Final = chance

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Turn a comparison around."""
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _SWAPPED:
            swapped = _SWAPPED[type(node.ops[0])]()
            return ast.Compare(node.comparators[0], [swapped], [node.left])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Turn a sum or a product around."""
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Mult)):
            node.left, node.right = node.right, node.left
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Turn conditions around."""
        self.generic_visit(node)
        node.values.reverse()
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Write `x += 1` as `x = 1 + x`."""
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and isinstance(node.op, ast.Add):
            read = ast.Name(node.target.id, ast.Load())
            return ast.Assign([node.target], ast.BinOp(node.value, node.op, read))
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave these as they are."""
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Write something else for a text or a number."""
        if isinstance(node.value, str) and len(node.value) > 3:
            return ast.Constant(node.value + self._chance.choice((".", "!", " ")))
        if type(node.value) is int and node.value > 2:
            return ast.Constant(node.value + 1)
        return node


def swapped(source: str, chance: random.Random) -> str:
    """Turn operands around, and change texts and numbers."""
    return _written(_Swapper(chance).visit(ast.parse(source)))


DISGUISES: Final[Mapping[str, Disguise]] = {
    "names": renamed,
    "order": reordered,
    "dead code": padded,
    "comments": commented,
    "lines": split,
    "loops": looped,
    "helpers": extracted,
    "format": reformatted,
    "operands": swapped,
}
"""By what they change."""


def disguised(source: str, names: Iterable[str], seed: int) -> str:
    """Return `source` in the disguises with these `names`, one after the other."""
    chance = random.Random(seed)
    for name in names:
        source = DISGUISES[name](source, chance)
    ast.parse(source)  # which raises where a disguise has broken it
    return source
