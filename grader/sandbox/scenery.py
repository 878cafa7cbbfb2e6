"""Set-up that works by what it does and not by a name: `random.seed(42)`, an import.

No later step names what it has changed, so it belongs to the own session of every later case. Only
what runs nothing of the submission counts: it cannot fail for a mistake in it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from grader.suite.session import Session

_BUILTINS: Final = frozenset(vars(builtins))


def scenery(session: Session) -> frozenset[int]:
    """Return the indexes of the steps of `session` that all later ones need.

    These act, run nothing of the submission, and do more than to give a value a name. An import is
    among them, for what the module may do.
    """
    return frozenset(_indexes(session))


def _indexes(session: Session) -> Iterator[int]:
    ours: set[str] = set()
    theirs: set[str] = set()
    for index, step in enumerate(session.steps):
        tree = ast.parse(step.code)
        imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
        is_ours = imports and not _imports_any(tree, session.modules)
        is_ours = is_ours or (not imports and _is_ours(tree, ours, theirs))
        (ours if is_ours else theirs).update(step.do.binds)
        (theirs if is_ours else ours).difference_update(step.do.binds)
        if is_ours and step.acts and not all(map(_only_names, tree.body)):
            yield index


def _imports_any(tree: ast.Module, modules: Sequence[str]) -> bool:
    """Return whether `tree`, which only imports, imports one of `modules`, which are handed in."""
    names = {
        name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (*(each.name for each in node.names), getattr(node, "module", None))
    }
    return not names.isdisjoint(modules)


def _is_ours(tree: ast.Module, ours: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    """Return whether `tree` reads names only of which we know that they are no submission's."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return not read & theirs and read <= ours | _BUILTINS | bound


def _only_names(statement: ast.stmt) -> bool:
    """Return whether `statement` does nothing but to give names to values."""
    match statement:
        case ast.Assign(targets=targets):
            return _are_names(targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _are_names([target])
        case ast.FunctionDef() | ast.ClassDef() | ast.Pass():
            return True
        case _:
            return False


def _are_names(targets: Iterable[ast.expr]) -> bool:
    return all(
        isinstance(node, ast.Name | ast.Tuple | ast.List | ast.Starred)
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.expr)
    )
