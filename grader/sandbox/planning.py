"""What executors are sent after the program: the steps, in which order.

A session is sent as a whole, or as a case's own. A case's *own session* is the smallest one that
brings its step into the same state: the steps that bind a name which it uses, the earlier
successful actions on such names, those that the suite says are needed, and the *scenery*, see
below. Observers and refused actions are left out, as they change nothing.

A submission can see ahead of time what it is sent. In a public session refused steps alone are
looked at, before and after. In any other one all steps are: what is asked about a step that must be
refused is what is asked about any.
"""

from __future__ import annotations

import ast
import builtins
import marshal
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum, unique
from functools import lru_cache, wraps
from types import CodeType
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from grader.protocol import STEP_FILE
from grader.suite.session import Session
from grader.verdict import Visibility

# Scenery: set-up that works by what it does and not by a name: `random.seed(42)`, an import.
#
# No later step names what it has changed, so it belongs to the own session of every later case.
# Only what runs nothing of the submission counts: it cannot fail for a mistake in it.


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
        if is_ours and step.acts and not only_names(tree):
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


def only_names(tree: ast.Module) -> bool:
    """Return whether the statements of `tree` do nothing but to give names to values."""
    return all(map(_only_names, tree.body))


def _only_names(statement: ast.stmt) -> bool:
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


Imported: TypeAlias = Sequence[tuple[str, str]]
Within: TypeAlias = Sequence[tuple[int, int]]
_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_KEPT: Final = 4096
"""More lines than a suite has; what was used longest ago is dropped first."""
_MOST_PACKED: Final = 256
"""More sessions than a suite has; what one submission alone was asked must not fill the memory."""


@unique
class Role(Enum):
    """Why an item stands in a plan."""

    STEP = "step"
    LOOK = "look"
    """Observes what a refused step must leave as it was, before it and after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing for the executor to do; it says nothing about what is expected of it."""

    role: Role = Role.STEP
    step_index: int
    code: str
    is_expression: bool = True
    binds: tuple[str, ...] = ()
    displays: bool = False
    """Whether it prints the values that it comes to, as the prompt does, and gives none."""
    runs: bool = False
    """Whether its session runs modules as programs; then none is imported before it."""
    acts: bool = False
    """Whether later steps build on this one."""


def _once_per_session(
    work: Callable[Concatenate[Session, _P], _T],
) -> Callable[Concatenate[Session, _P], _T]:
    """Return `work`, keeping its results for as long as the session lives that they are about."""
    results: WeakKeyDictionary[Session, dict[Hashable, _T]] = WeakKeyDictionary()

    @wraps(work)
    def once(session: Session, /, *args: _P.args, **options: _P.kwargs) -> _T:
        kept = results.setdefault(session, {})
        key = (args, tuple(options.items()))
        if key not in kept:
            kept[key] = work(session, *args, **options)
        return kept[key]

    return once


@_once_per_session
def whole_session(session: Session, *, observed: bool = True) -> tuple[Item, ...]:
    """Return all steps of `session`, between their observers if they are `observed`."""
    return tuple(_items(session, range(len(session.steps)), observed))


@_once_per_session
def own_session(session: Session, index: int, *, observed: bool = True) -> tuple[Item, ...]:
    """Return the smallest session that tries step `index` in its proper state.

    Without `observed` the step stands alone, without the observers around it.
    """
    return tuple(_items(session, (*needed_steps(session, index), index), observed))


@_once_per_session
def needed_steps(session: Session, index: int) -> tuple[int, ...]:
    """Return the indexes of the earlier steps that bring step `index` into its state.

    Who asks the same for the second time in a row asks whether it is still so, and needs the first
    time too. The third has its own chance, so that one mistake is not paid for more than once.
    """
    wanted = set(session.steps[index].uses)
    if session.visibility is Visibility.PUBLIC:
        for code in session.steps[index].observers:
            wanted |= names_read(code)
    always = _scenery(session)
    needed: list[int] = []
    before: list[int] = []
    in_a_row = True
    for earlier in range(index - 1, -1, -1):
        step = session.steps[earlier]
        is_named = bool(wanted & set(step.binds))  # also where it is said that it does no more
        acts = step.always or earlier in always or is_named or (step.acts and wanted & step.uses)
        in_a_row = in_a_row and not acts
        if in_a_row and step.code == session.steps[index].code:
            before.append(earlier)
        if acts:
            needed.append(earlier)
            # What a plain assignment binds has no older history that matters.
            wanted -= set(step.binds)
            wanted |= step.uses
    return tuple(sorted(needed + (before if len(before) == 1 else [])))


_scenery: Final = _once_per_session(scenery)


@lru_cache(_MOST_KEPT)
def names_read(code: str) -> frozenset[str]:
    """Return the names that `code` of a suite reads."""
    nodes = ast.walk(ast.parse(code))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


@_once_per_session
def calls_in(session: Session) -> frozenset[tuple[str, int]]:
    """Return what steps of `session` call, `Board.drop_at` say, each with its count of arguments.

    Calls with arguments by name, or with as many as a collection has, are left out.
    """
    nodes = (node for step in session.steps for node in ast.walk(ast.parse(step.code)))
    return frozenset(
        (ast.unparse(node.func), len(node.args))
        for node in nodes
        if isinstance(node, ast.Call)
        and not node.keywords
        and not any(isinstance(each, ast.Starred) for each in node.args)
    )


@lru_cache(_MOST_KEPT)
def definitions_read(code: str) -> frozenset[str]:
    """Return the names that `code` of a suite reads, and what it reads of them: `Board.drop_at`."""
    nodes = ast.walk(ast.parse(code))
    return names_read(code) | {
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and isinstance(node.ctx, ast.Load)
    }


@lru_cache(_MOST_KEPT)
def called(code: str) -> tuple[str, ...]:
    """Return what `code` of a suite calls; where that is nothing, it stands for itself."""
    names = dict.fromkeys(_called(ast.parse(code)))
    return tuple(names) or (code,)


def _called(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name


def _items(session: Session, indexes: Sequence[int], observed: bool) -> Iterator[Item]:
    """Yield the items of the steps `indexes`; two in a row share the look between them."""
    bound, runs = set[str](), session.runs
    observed = observed and any((session.looks, *(step.observers for step in session.steps)))
    for before, index in zip((None, *indexes), indexes, strict=False):
        if observed:
            yield from _looks(session, bound, before, index)
        yield _step_item(session, index, runs=runs)
        bound.update(_bound_by(session, index))
    if observed and indexes:
        yield from _looks(session, bound, indexes[-1], None)


def _looks(session: Session, bound: set[str], *around: int | None) -> Iterator[Item]:
    """Yield the looks between the steps `around` a place, where names are `bound` by then."""
    indexes = [index for index in around if index is not None]
    asked = [code for index in indexes for code in session.steps[index].observers]
    if session.visibility is not Visibility.PUBLIC:
        asked = list(session.looks)
    for code in dict.fromkeys(asked):
        if names_read(code) & _ever_bound(session) <= bound:
            yield Item(
                role=Role.LOOK, step_index=indexes[0], code=code, is_expression=True, binds=()
            )


@_once_per_session
def _ever_bound(session: Session) -> frozenset[str]:
    """Return the names that steps of `session` bind."""
    return frozenset(
        name for index in range(len(session.steps)) for name in _bound_by(session, index)
    )


def _bound_by(session: Session, index: int) -> tuple[str, ...]:
    """Return the names that step `index` binds; unless all is public, as if it is not refused."""
    step = session.steps[index]
    return step.binds if session.visibility is Visibility.PUBLIC else step.do.binds


def _step_item(session: Session, index: int, *, runs: bool) -> Item:
    step = session.steps[index]
    return Item(
        role=Role.STEP,
        step_index=index,
        code=step.code,
        is_expression=step.is_expression,
        binds=step.do.binds,
        displays=step.shows is not None,
        runs=runs,
        acts=step.acts,
    )


def request(
    plans: Sequence[tuple[Item, ...]],
    imported: Imported | None = None,
    within: Within | None = None,
    *,
    last: bool = True,
    lot: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Return what an executor is sent to run `plans`, after importing what is `imported`.

    Steps keep `within` so many units and characters, if these are not the usual ones. In a `lot`
    nothing of what has run before is left, and instruments have `settings` of their own. It hangs
    up after the `last` request.
    """
    packed = list(map(_packed, plans))
    asked: dict[str, object] = {"plans": [each.data for each in packed], "last": last}
    if imported is not None:
        asked["import"] = imported
    if within is not None:
        asked["within"] = [tuple(each) for each in within]
    if any(each.runs for each in packed):
        asked["runs"] = True
    if lot:
        asked["lot"] = True
    if settings is not None:
        asked["instruments"] = settings
    return marshal.dumps(asked)


def renewed(within: Within | None) -> bytes:
    """Return what tells an executor what the steps to come may use, None where that is usual."""
    return marshal.dumps({"within": None if within is None else [tuple(each) for each in within]})


class _Packed(NamedTuple):
    """The code of a plan and the names that it binds, as they travel."""

    plan: tuple[Item, ...]
    data: bytes
    runs: bool

    @classmethod
    def of(cls, plan: tuple[Item, ...]) -> _Packed:
        """Pack `plan`. The code is compiled here: executors share our interpreter."""
        codes = [_compiled(item.code, item.is_expression, item.displays) for item in plan]
        data = marshal.dumps((codes, [item.binds for item in plan]))
        return cls(plan, data, any(item.runs for item in plan))


_PACKED: Final[dict[int, _Packed]] = {}
"""Plans by their identity, which none but themselves have as long as they are kept."""


def _packed(plan: tuple[Item, ...]) -> _Packed:
    """Return `plan` as it travels, made once for all who get it."""
    packed = _PACKED.get(id(plan))
    if packed is None:
        if len(_PACKED) >= _MOST_PACKED:
            _PACKED.clear()
        packed = _PACKED[id(plan)] = _Packed.of(plan)
    return packed


@lru_cache(_MOST_KEPT)
def _compiled(code: str, is_expression: bool, displays: bool) -> CodeType:
    if displays:
        prompt = ast.Interactive(ast.parse(code).body)
        return compile(prompt, STEP_FILE, "single", dont_inherit=True)
    return compile(code, STEP_FILE, "eval" if is_expression else "exec", dont_inherit=True)
