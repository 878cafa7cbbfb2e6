"""Plans which steps are sent to executors after the program, and in which order.

A session is sent as a whole, or as the own session of a case. A case's *own session* is the
smallest one that brings its step into the same state. It has the steps that bind a name that the
step uses, the earlier successful actions on such names, the steps that the suite marks as needed,
and the *scenery* (see `grader.sandbox.scenery`). Observers and refused actions are left out,
because they change nothing.

A submission can read its steps in advance. In a public session only refused steps have looks,
before and after them. In any other session all steps have the same looks, because otherwise the
looks would reveal which steps must be refused.
"""

from __future__ import annotations

import ast
import marshal
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from functools import lru_cache, wraps
from types import CodeType
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from grader.protocol import STEP_FILE
from grader.sandbox.scenery import scenery
from grader.suite.session import Session
from grader.verdict import Visibility

Imported: TypeAlias = Sequence[tuple[str, str]]
"""The imports of a session; see `grader.sandbox.program.Imported`."""
LimitPairs: TypeAlias = Sequence[tuple[int, int]]
"""The limits of each step on units and on printed characters."""
_P = ParamSpec("_P")
_T = TypeVar("_T")

_MAX_CACHED: Final = 4096
"""The size of caches, which exceeds the number of lines of a suite."""
_MAX_PACKED: Final = 256
"""Exceeds the number of sessions of a suite, but keeps plans for single submissions from filling
the memory."""


@unique
class Role(Enum):
    """The purpose of an item in a plan."""

    STEP = "step"
    LOOK = "look"
    """Evaluates an observer, whose value must not be changed by a refused step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of code for the executor to run, without anything about the expected result."""

    role: Role = Role.STEP
    step_index: int
    code: str
    is_expression: bool = True
    binds: tuple[str, ...] = ()
    displays: bool = False
    """Whether the code prints its values, as at the interactive prompt, instead of returning
    them."""
    runs: bool = False
    """Whether the session runs modules as programs, and so imports none of them first."""
    acts: bool = False
    """Whether later steps build on the effect of this one."""


def _once_per_session(
    function: Callable[Concatenate[Session, _P], _T],
) -> Callable[Concatenate[Session, _P], _T]:
    """Return `function` with its results cached for the lifetime of the session object."""
    results: WeakKeyDictionary[Session, dict[Hashable, _T]] = WeakKeyDictionary()

    @wraps(function)
    def cached_function(session: Session, /, *args: _P.args, **options: _P.kwargs) -> _T:
        cached = results.setdefault(session, {})
        key = (args, tuple(options.items()))
        if key not in cached:
            cached[key] = function(session, *args, **options)
        return cached[key]

    return cached_function


@_once_per_session
def whole_session(session: Session, *, observed: bool = True) -> tuple[Item, ...]:
    """Return a plan with all steps of `session`, and with looks between them if `observed`."""
    return tuple(_items(session, range(len(session.steps)), observed))


@_once_per_session
def own_session(session: Session, index: int, *, observed: bool = True) -> tuple[Item, ...]:
    """Return the plan with the fewest steps that runs step `index` in its proper state.

    The plan has looks around the steps only if `observed`.
    """
    return tuple(_items(session, (*needed_steps(session, index), index), observed))


@_once_per_session
def needed_steps(session: Session, index: int) -> tuple[int, ...]:
    """Return the indexes of the earlier steps that bring step `index` into its state.

    A step that repeats an earlier one, with no action in between, checks that the answer is still
    the same, so it needs that step as well. If it repeats several steps, it needs none of them, so
    that one mistake does not cost points more than once.
    """
    names = set(session.steps[index].uses)
    if session.visibility is Visibility.PUBLIC:
        for code in session.steps[index].observers:
            names |= read_names(code)
    scenery_steps = _scenery(session)
    needed: list[int] = []
    repeated: list[int] = []
    no_action_yet = True
    for earlier_index in range(index - 1, -1, -1):
        step = session.steps[earlier_index]
        # Binding a name counts even if the suite declares that the step does not act.
        is_named = bool(names & set(step.binds))
        is_needed = (
            step.always
            or earlier_index in scenery_steps
            or is_named
            or (step.acts and names & step.uses)
        )
        no_action_yet = no_action_yet and not is_needed
        if no_action_yet and step.code == session.steps[index].code:
            repeated.append(earlier_index)
        if is_needed:
            needed.append(earlier_index)
            # A plain assignment overwrites the name, so earlier steps on it do not matter.
            names -= set(step.binds)
            names |= step.uses
    return tuple(sorted(needed + (repeated if len(repeated) == 1 else [])))


_scenery: Final = _once_per_session(scenery)


@lru_cache(_MAX_CACHED)
def read_names(code: str) -> frozenset[str]:
    """Return the names that `code`, taken from a suite, reads."""
    nodes = ast.walk(ast.parse(code))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


@_once_per_session
def session_calls(session: Session) -> frozenset[tuple[str, int]]:
    """Return the calls in `session` as pairs of callee and argument count.

    A callee is an expression such as `Board.drop_at`. Calls with keyword or starred arguments are
    left out.
    """
    nodes = (node for step in session.steps for node in ast.walk(ast.parse(step.code)))
    return frozenset(
        (ast.unparse(node.func), len(node.args))
        for node in nodes
        if isinstance(node, ast.Call)
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


@lru_cache(_MAX_CACHED)
def read_definitions(code: str) -> frozenset[str]:
    """Return the names that `code`, taken from a suite, reads.

    Attributes are included as dotted names, such as `Board.drop_at`.
    """
    nodes = ast.walk(ast.parse(code))
    return read_names(code) | {
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and isinstance(node.ctx, ast.Load)
    }


@lru_cache(_MAX_CACHED)
def called_names(code: str) -> tuple[str, ...]:
    """Return the names called in `code`, taken from a suite, or `code` itself if it calls none."""
    names = dict.fromkeys(_iter_called_names(ast.parse(code)))
    return tuple(names) or (code,)


def _iter_called_names(tree: ast.Module) -> Iterator[str]:
    """Yield the name of each function or method that `tree` calls."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name


def _items(session: Session, indexes: Sequence[int], observed: bool) -> Iterator[Item]:
    """Yield the items that run the steps `indexes`, with the looks between them if `observed`."""
    bound, runs = set[str](), session.runs_programs
    observed = observed and any((session.looks, *(step.observers for step in session.steps)))
    for previous, index in zip((None, *indexes), indexes, strict=False):
        if observed:
            yield from _looks(session, bound, previous, index)
        yield _step_item(session, index, runs=runs)
        bound.update(_bound_names(session, index))
    if observed and indexes:
        yield from _looks(session, bound, indexes[-1], None)


def _looks(session: Session, bound: set[str], *neighbours: int | None) -> Iterator[Item]:
    """Yield the looks between the steps `neighbours`.

    At either end of the plan, one of the neighbours is None. A look is left out if it reads a name
    that the session binds, but that is not yet `bound`.
    """
    indexes = [index for index in neighbours if index is not None]
    codes = [code for index in indexes for code in session.steps[index].observers]
    if session.visibility is not Visibility.PUBLIC:
        # The same looks everywhere, so that they do not reveal which steps must be refused.
        codes = list(session.looks)
    for code in dict.fromkeys(codes):
        if read_names(code) & _names_bound_anywhere(session) <= bound:
            yield Item(
                role=Role.LOOK, step_index=indexes[0], code=code, is_expression=True, binds=()
            )


@_once_per_session
def _names_bound_anywhere(session: Session) -> frozenset[str]:
    """Return the names that the steps of `session` bind."""
    return frozenset(
        name for index in range(len(session.steps)) for name in _bound_names(session, index)
    )


def _bound_names(session: Session, index: int) -> tuple[str, ...]:
    """Return the names that step `index` is known to bind.

    In a session that is not public, these are the names that the step binds if it is accepted,
    so that the looks do not reveal whether the step is accepted.
    """
    step = session.steps[index]
    return step.binds if session.visibility is Visibility.PUBLIC else step.do.binds


def _step_item(session: Session, index: int, *, runs: bool) -> Item:
    """Return the item that runs step `index`; see `Item.runs`."""
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
    within: LimitPairs | None = None,
    *,
    last: bool = True,
    lot: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the request to run `plans`, after the imports in `imported`.

    `within` has the limits of each step, if they are not the usual ones. In a `lot` the executor
    first removes everything that earlier sessions left behind, and instruments get these
    `settings`. The executor closes its channel after the `last` request.
    """
    packed = list(map(_pack, plans))
    data: dict[str, object] = {"plans": [packed_plan.data for packed_plan in packed], "last": last}
    if imported is not None:
        data["import"] = imported
    if within is not None:
        data["within"] = [tuple(step_limits) for step_limits in within]
    if any(packed_plan.runs for packed_plan in packed):
        data["runs"] = True
    if lot:
        data["lot"] = True
    if settings is not None:
        data["instruments"] = settings
    return marshal.dumps(data)


def renewal_request(within: LimitPairs | None) -> bytes:
    """Return the request that sets the limits of the remaining steps to `within`.

    None stands for the usual limits.
    """
    return marshal.dumps(
        {"within": None if within is None else [tuple(step_limits) for step_limits in within]}
    )


class _Packed(NamedTuple):
    """A plan with its code and the names that its items bind, marshalled for executors."""

    plan: tuple[Item, ...]
    data: bytes
    runs: bool

    @classmethod
    def from_plan(cls, plan: tuple[Item, ...]) -> _Packed:
        """Compile and pack `plan`, which works because executors run the same version of Python."""
        codes = [_compile_code(item.code, item.is_expression, item.displays) for item in plan]
        data = marshal.dumps((codes, [item.binds for item in plan]))
        return cls(plan, data, any(item.runs for item in plan))


_PACKED: Final[dict[int, _Packed]] = {}
"""Packed plans, keyed by the `id` of the plan, which cannot be reused while the plan is kept."""


def _pack(plan: tuple[Item, ...]) -> _Packed:
    """Return `plan` in packed form, from the cache if possible; otherwise add it to the cache."""
    packed = _PACKED.get(id(plan))
    if packed is None:
        if len(_PACKED) >= _MAX_PACKED:
            _PACKED.clear()  # all at once: a suite's own plans are soon packed again
        packed = _PACKED[id(plan)] = _Packed.from_plan(plan)
    return packed


@lru_cache(_MAX_CACHED)
def _compile_code(code: str, is_expression: bool, displays: bool) -> CodeType:
    """Compile the code of a step; the parameters are fields of its `Item`."""
    if displays:
        prompt = ast.Interactive(ast.parse(code).body)
        return compile(prompt, STEP_FILE, "single", dont_inherit=True)
    # `dont_inherit`: the `from __future__` imports of this file do not apply to the suite.
    return compile(code, STEP_FILE, "eval" if is_expression else "exec", dont_inherit=True)
