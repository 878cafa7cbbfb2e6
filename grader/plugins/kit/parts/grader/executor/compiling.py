"""Compiles a module so that what came after Python 3.8 works in it, as far as that goes.

`list[int]`, `int | None`, `dict | dict`, `zip(strict=True)` and `removeprefix` need nothing but
other calls, and some functions of the standard library can be put where they are missing. New
syntax is another matter: no older Python reads it, and the kit says so.
"""

import builtins
import enum
import functools
import itertools
import math
import sys
import typing
from types import SimpleNamespace

from grader import backports
from grader.executor import newer_kinds

_HELPERS = "__kit__"
"""Where the code finds what it calls: among the built-ins."""


def _lcm(*numbers):
    found = 1
    for number in numbers:
        found = found and abs(number * found) // math.gcd(number, found)
    return found


_MISSING = [
    (enum, ["StrEnum"], backports),
    (functools, ["cache"], backports),
    (itertools, ["pairwise"], backports),
    (math, ["lcm"], SimpleNamespace(lcm=_lcm)),
    (typing, ["Never", "ParamSpec", "Self", "TypeAlias", "assert_never", "override"], backports),
    (typing, ["Annotated"], newer_kinds),
]


def _supply():
    setattr(builtins, _HELPERS, newer_kinds)
    for module, names, source in _MISSING:
        for name in names:
            if not hasattr(module, name):
                setattr(module, name, getattr(source, name))


if sys.version_info < (3, 11):
    _supply()


def compiled(source, file):
    """Return the code of `source`, read from `file`; raises what `compile` raises."""
    code = compile(source, file, "exec", dont_inherit=True)
    if sys.version_info >= (3, 10):
        return code
    try:
        return _rewritten(source, file) or code
    except RecursionError:
        return code


def _rewritten(source, file):
    """Return the code of `source` with calls for what is new in it, None where nothing is."""
    import ast

    tree = ast.parse(source, file)
    rewriting = _rewriting(ast)
    rewriting.visit(tree)
    if not rewriting.changed:
        return None
    return compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)


@functools.lru_cache(maxsize=None)
def _rewriting_class(ast):
    is_oldest = sys.version_info < (3, 9)

    class Rewriting(ast.NodeTransformer):
        """Puts calls of helpers in the place of what older versions cannot do."""

        def __init__(self):
            self.changed = False

        def _call(self, node, name, *arguments, **others):
            self.changed = True
            helper = ast.Attribute(ast.Name(_HELPERS, ast.Load()), name, ast.Load())
            return ast.copy_location(ast.Call(helper, list(arguments), others.get("keywords", [])), node)

        def visit_BinOp(self, node):
            self.generic_visit(node)
            if not isinstance(node.op, ast.BitOr):
                return node
            return self._call(node, "either", node.left, node.right)

        def visit_AugAssign(self, node):
            self.generic_visit(node)
            if not (isinstance(node.op, ast.BitOr) and isinstance(node.target, ast.Name)):
                return node
            before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            value = self._call(node, "merged", before, node.value)
            return ast.copy_location(ast.Assign([node.target], value), node)

        def visit_Subscript(self, node):
            self.generic_visit(node)
            index = node.slice.value if type(node.slice).__name__ == "Index" else None
            name = getattr(node.value, "id", getattr(node.value, "attr", None))
            if index is None or name not in newer_kinds.NAMES or not isinstance(node.ctx, ast.Load):
                return node
            return self._call(node, "of_kind", node.value, index)

        def visit_Call(self, node):
            self.generic_visit(node)
            called = node.func
            if isinstance(called, ast.Name) and any(each.arg == "strict" for each in node.keywords):
                return self._call(node, "zipped", called, *node.args, keywords=node.keywords)
            if is_oldest and getattr(called, "attr", None) in ("removeprefix", "removesuffix"):
                return self._call(node, called.attr, called.value, *node.args, keywords=node.keywords)
            return node

        def visit_Module(self, node):
            self._without_strings = any(
                isinstance(each, ast.ImportFrom)
                and each.module == "__future__"
                and any(name.name == "annotations" for name in each.names)
                for each in node.body
            )
            return self.generic_visit(node)

        def visit_arg(self, node):
            return node if self._without_strings else self.generic_visit(node)

        def visit_FunctionDef(self, node):
            returns = node.returns
            if self._without_strings:
                node.returns = None
            self.generic_visit(node)
            if self._without_strings:
                node.returns = returns
            return node

        visit_AsyncFunctionDef = visit_FunctionDef

        def visit_AnnAssign(self, node):
            annotation = node.annotation
            self.generic_visit(node)
            if self._without_strings:
                node.annotation = annotation
            return node

    return Rewriting


def _rewriting(ast):
    return _rewriting_class(ast)()
