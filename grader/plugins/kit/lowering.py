"""Rewrites our own modules for Python 3.8, the oldest that a kit runs on.

Annotations go, but for the names of fields. What is newer than 3.8 becomes a call of a function in
`grader.backports`, which lies beside the modules in a kit: `match`, unions, merged dictionaries,
functions of the standard library. Nothing else changes; that the judge stays the judge is tested
with all samples.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from grader.plugins.kit.patterns import lowered_match

BACKPORTS: Final = "grader.backports"
_SUPPLIED: Final = {
    ("collections.abc", "Buffer"),
    ("dataclasses", "dataclass"),
    ("datetime", "UTC"),
    ("enum", "StrEnum"),
    ("functools", "cache"),
    ("importlib.resources", "files"),
    ("itertools", "pairwise"),
    ("pkgutil", "resolve_name"),
    ("types", "NoneType"),
    ("typing", "Annotated"),
    ("typing", "Never"),
    ("typing", "NoReturn"),
    ("typing", "ParamSpec"),
    ("typing", "Self"),
    ("typing", "TypeAlias"),
    ("typing", "assert_never"),
    ("typing", "get_args"),
    ("typing", "override"),
    ("zoneinfo", "ZoneInfo"),
    ("zoneinfo", "ZoneInfoNotFoundError"),
    ("zoneinfo", "available_timezones"),
}
"""What modules import from the standard library, and older ones have not."""
_METHODS: Final = frozenset(
    {"removeprefix", "removesuffix", "is_relative_to", "bit_count", "total"}
)
"""Methods that older classes have not; `grader.backports` has functions of these names."""
_FUNCTIONS: Final = frozenset({"zip", "bisect_left", "bisect_right"})
"""Functions that older versions have with fewer arguments."""
_ATTRIBUTES: Final = {
    ("sys", "stdlib_module_names"),
    ("sys", "orig_argv"),
    ("itertools", "pairwise"),
    ("functools", "cache"),
}
_NODES: Final = frozenset(
    {"Match", "MatchAs", "MatchMapping", "MatchStar", "TryStar", "TypeAlias", "match_case"}
)
"""Syntax that older versions have not, so that no tree of theirs has such a node."""
_KEPT_GENERIC: Final = frozenset({"Generic", "Protocol"})
_GENERIC: Final = frozenset(
    [
        "tuple",
        "list",
        "dict",
        "set",
        "frozenset",
        "type",
        "deque",
        "defaultdict",
        "Counter",
        "OrderedDict",
        "Callable",
        "Collection",
        "Iterable",
        "Iterator",
        "Mapping",
        "MutableMapping",
        "Sequence",
        "MutableSequence",
        "Set",
        "Generator",
        "Container",
        "cached_property",
        "partial",
        "AbstractContextManager",
        "ContextManager",
        "Future",
        "Queue",
        "Final",
        "Reversible",
        "ChainMap",
        "TypeAdapter",
        "Items",
        "Sized",
        "Hashable",
        "Popen",
        "CompletedProcess",
    ]
)
"""Classes of which parameters are for annotations only: `frozenset[str]()`."""
_CONVERSIONS: Final = {ord("r"): "repr", ord("s"): "str", ord("a"): "ascii"}


def lowered(source: str) -> str:
    """Return the text of `source`, a module of ours, for Python 3.8."""
    tree = ast.parse(source)
    _Lowering().visit(tree)
    _drop_unused_imports(tree)
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    ours = ast.ImportFrom(BACKPORTS, [ast.alias("*")], 0)
    tree.body = [future, ours, *(each for each in tree.body if not _is_future(each))]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def imported_modules(source: str) -> set[str]:
    """Return what a module with that `source` imports; some of it may be no modules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "our own imports are absolute"
            found |= {str(node.module), *(f"{node.module}.{each.name}" for each in node.names)}
    return found


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


def _name_of(node: ast.expr) -> str:
    """Return the last name of `node`, a name with what stands before and behind it, or none."""
    if isinstance(node, ast.Subscript):
        return _name_of(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_generic(node: ast.Subscript) -> bool:
    """Return whether `node` parametrizes a class; then nothing is read from it."""
    return isinstance(node.ctx, ast.Load) and _name_of(node.value) in _GENERIC


class _Lowering(ast.NodeTransformer):
    """Rewrites one module."""

    def __init__(self) -> None:
        self._in_class: list[bool] = [False]
        self._fresh = 0

    def fresh(self) -> str:
        """Return a name that no module of ours has."""
        self._fresh += 1
        return f"_matched_{self._fresh}"

    def visit_Module(self, node: ast.Module) -> ast.AST:
        node.body = self._block(_without_docstring(node.body))
        return node

    def _block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        lowered_body: list[ast.stmt] = []
        for statement in body:
            result = self.visit(statement)
            if isinstance(result, list):
                lowered_body += result
            elif result is not None:
                lowered_body.append(result)
        return lowered_body or [ast.Pass()]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        arguments = node.args
        for each in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *filter(None, (arguments.vararg, arguments.kwarg)),
        ):
            each.annotation = None
        node.args = self.visit(arguments)
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._in_class.append(False)
        node.body = self._block(_without_docstring(node.body))
        self._in_class.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [
            each
            if isinstance(each, ast.Subscript) and _name_of(each) in _KEPT_GENERIC
            else self._base(each)
            for each in node.bases
        ]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._in_class.append(True)
        node.body = self._block(_without_docstring(node.body))
        self._in_class.pop()
        return node

    def _base(self, base: ast.expr) -> ast.expr:
        return self._visited(base.value if isinstance(base, ast.Subscript) else base)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return self._block(node.orelse) if node.orelse else []
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None  # what a constant or a member of an enum means
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        annotation = _name_of(node.annotation)
        if annotation == "TypeAlias" and node.value is not None:
            return ast.Assign([node.target], self._alias(node.value))
        value = None if node.value is None else self.visit(node.value)
        if self._in_class[-1] and annotation != "ClassVar":
            kept = ast.Constant("object")
            return ast.AnnAssign(node.target, kept, value, simple=1)
        if value is None:
            return None
        return ast.Assign([self.visit(node.target)], value)

    def _alias(self, value: ast.expr) -> ast.expr:
        """Return what an alias of types is at run time: the classes that `isinstance` takes."""
        if isinstance(value, ast.BinOp):
            return self._union(value) or ast.Constant(None)
        return value if isinstance(value, ast.Name) else ast.Constant(None)

    def _union(self, node: ast.expr) -> ast.expr | None:
        """Return the classes of `A | B | None` as a tuple, None if these are no plain names."""
        names: list[ast.expr] = []
        waiting = [node]
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                waiting = [part.left, part.right, *waiting]
            elif isinstance(part, (ast.Name, ast.Attribute)):
                names.append(part)
            elif isinstance(part, ast.Constant) and part.value is None:
                names.append(_call("type", ast.Constant(None)))
            else:
                return None
        return ast.Tuple(names, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("or_", node.left, node.right) if isinstance(node.op, ast.BitOr) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.BitOr):
            return node
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.Assign([node.target], _call("ior_", before, node.value))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._visited(node.value) if _is_generic(node) else self.generic_visit(node)

    def _visited(self, node: ast.expr) -> ast.expr:
        visited: ast.expr = self.visit(node)
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        if isinstance(called, ast.Name) and called.id in {"isinstance", "issubclass"}:
            union = self._union(node.args[1]) if isinstance(node.args[1], ast.BinOp) else None
            if union is not None:
                return ast.Call(called, [self.visit(node.args[0]), union], [])
        if isinstance(called, ast.Name) and called.id == "cast":
            return self._visited(node.args[1])
        self.generic_visit(node)
        if isinstance(called, ast.Name) and called.id in _FUNCTIONS and node.keywords:
            node.func = ast.Name(f"{called.id}_", ast.Load())
        if isinstance(called, ast.Attribute) and called.attr in _METHODS:
            return ast.Call(
                ast.Name(f"{called.attr}_", ast.Load()),
                [called.value, *node.args],
                node.keywords,
            )
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in _ATTRIBUTES:
            return ast.Name(f"{node.attr}_", node.ctx)
        if isinstance(node.value, ast.Name) and node.value.id == "ast" and node.attr in _NODES:
            return ast.Name("NoNode_", node.ctx)
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt] | None:
        supplied = [each for each in node.names if (node.module, each.name) in _SUPPLIED]
        others = [each for each in node.names if each not in supplied]
        imports: list[ast.stmt] = []
        if supplied:
            imports.append(ast.ImportFrom(BACKPORTS, supplied, 0))
        if others:
            imports.append(ast.ImportFrom(node.module, others, node.level))
        return imports

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Call:
        """Rewrite an f-string as a call: how they may be quoted differs between versions."""
        return _call("joined_", *map(self._piece, node.values))

    def _piece(self, piece: ast.expr) -> ast.expr:
        if not isinstance(piece, ast.FormattedValue):
            return piece
        value = self.visit(piece.value)
        conversion = _CONVERSIONS.get(piece.conversion)
        if conversion is not None:
            value = _call(conversion, value)
        spec = [] if piece.format_spec is None else [self.visit(piece.format_spec)]
        return _call("format", value, *spec)

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        subject = self.fresh()
        assign = ast.Assign([ast.Name(subject, ast.Store())], self.visit(node.subject))
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
            case.guard = case.guard and self.visit(case.guard)
            case.body = self._block(case.body)
        return [assign, *lowered_match(node.cases, subject)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _drop_unused_imports(tree: ast.Module) -> None:
    """Take the imports from `tree` that only annotations have used."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in map(_name_of, node.targets):
            used |= set(ast.literal_eval(node.value))
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(parent, field, None)
            if not isinstance(body, list):
                continue
            kept = [each for each in body if not _is_idle(each, used)]
            setattr(parent, field, kept or ([ast.Pass()] if body else []))


def _is_idle(statement: ast.stmt, used: set[str]) -> bool:
    """Return whether `statement` imports nothing that is `used`; take from it what is not."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)) or _is_future(statement):
        return False
    statement.names = [
        each
        for each in statement.names
        if each.name == "*" or (each.asname or each.name.partition(".")[0]) in used
    ]
    return not statement.names
