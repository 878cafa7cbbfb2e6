"""Finds the scenery of a session: steps that matter for their effect and not for a name.

An example is `random.seed(42)`. No later step names what such a step changed, so it belongs to the
own session of every later case. It must run no code of the submission, so that a mistake in the
submission cannot make it fail.
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
    """Return the indexes of the steps of `session` that all later steps need.

    These steps act, run no code of the submission, and do more than bind names.
    Imports count, because importing a module can have effects.
    """
    return frozenset(_scenery_indexes(session))


def _scenery_indexes(session: Session) -> Iterator[int]:
    """Yield the indexes of the steps that are scenery.

    The loop tracks which names are certainly ours and which might come from the submission.
    """
    our_names: set[str] = set()
    submission_names: set[str] = set()
    for index, step in enumerate(session.steps):
        tree = ast.parse(step.code)
        imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
        is_ours = imports and not _imports_any(tree, session.modules)
        is_ours = is_ours or (
            not imports and _reads_no_submission(tree, our_names, submission_names)
        )
        (our_names if is_ours else submission_names).update(step.do.binds)
        (submission_names if is_ours else our_names).difference_update(step.do.binds)
        if is_ours and step.acts and not binds_only_names(tree):
            yield index


def _imports_any(tree: ast.Module, modules: Sequence[str]) -> bool:
    """Return whether the import statements in `tree` import one of the submission's `modules`."""
    names = {
        name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (*(alias.name for alias in node.names), getattr(node, "module", None))
    }
    return not names.isdisjoint(modules)


def _reads_no_submission(
    tree: ast.Module, our_names: AbstractSet[str], submission_names: AbstractSet[str]
) -> bool:
    """Return whether `tree` reads only names that cannot come from the submission.

    Such names are `our_names`, built-ins, and names that `tree` itself binds, unless they are
    among the `submission_names`.
    """
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return not read & submission_names and read <= our_names | _BUILTINS | bound


def binds_only_names(tree: ast.Module) -> bool:
    """Return whether the statements of `tree` only bind names."""
    return all(map(_statement_binds_only_names, tree.body))


def _statement_binds_only_names(statement: ast.stmt) -> bool:
    """Return whether `statement` binds names, and stores nothing in attributes or elements."""
    match statement:
        case ast.Assign(targets=targets):
            return _are_only_names(targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _are_only_names([target])
        case ast.FunctionDef() | ast.ClassDef() | ast.Pass():
            return True
        case _:
            return False


def _are_only_names(targets: Iterable[ast.expr]) -> bool:
    """Return whether the assignment `targets` are names, or lists or tuples of names."""
    return all(
        isinstance(node, ast.Name | ast.Tuple | ast.List | ast.Starred)
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.expr)
    )
