"""Which steps an executor is sent, in which order: the whole session, or a case's own.

A case's *own session* is the smallest one that brings its step into the same state: the steps that
bind a name which it uses, and the earlier successful actions on such names. Observers and refused
actions are left out, as they change nothing.
"""

from __future__ import annotations

import ast
import base64
import json
import marshal
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum, unique
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from grader.sandbox.program import Imported
from grader.suite.model import Session

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_KEPT: Final = 4096
"""More lines, and more requests, than a suite has; what was used longest ago is dropped first."""


@unique
class Role(Enum):
    """Why an item stands in a plan."""

    STEP = "step"
    BEFORE = "before"
    """Observes what a refused step must leave as it was."""
    AFTER = "after"
    """Observes the same after that step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing for the executor to do; it says nothing about what is expected of it."""

    role: Role
    step_index: int
    code: str
    is_expression: bool
    binds: tuple[str, ...]
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
    """Return all steps of `session`; refused steps stand between their observers, if `observed`."""
    indexes = range(len(session.steps))
    if not observed:
        return tuple(_step_item(session, index) for index in indexes)
    return tuple(item for index in indexes for item in _with_observers(session, index))


@_once_per_session
def own_session(session: Session, index: int, *, observed: bool = True) -> tuple[Item, ...]:
    """Return the smallest session that tries step `index` in its proper state.

    Without `observed` the step stands alone, without the observers around it.
    """
    setup = tuple(_step_item(session, needed) for needed in needed_steps(session, index))
    if observed:
        return setup + _with_observers(session, index)
    return (*setup, _step_item(session, index))


@_once_per_session
def needed_steps(session: Session, index: int) -> tuple[int, ...]:
    """Return the indexes of the earlier steps that bring step `index` into its state."""
    wanted = set(session.steps[index].uses)
    for code in session.steps[index].observers:
        wanted |= names_read(code)
    needed = []
    for earlier in range(index - 1, -1, -1):
        step = session.steps[earlier]
        if step.acts and (wanted & set(step.binds) or wanted & step.uses):
            needed.append(earlier)
            # What a plain assignment binds has no older history that matters.
            wanted -= set(step.binds)
            wanted |= step.uses
    return tuple(reversed(needed))


@lru_cache(_MOST_KEPT)
def names_read(code: str) -> frozenset[str]:
    """Return the names that `code` of a suite reads."""
    nodes = ast.walk(ast.parse(code))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
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


def _with_observers(session: Session, index: int) -> tuple[Item, ...]:
    observers = session.steps[index].observers
    before = tuple(_observer_item(Role.BEFORE, index, code) for code in observers)
    after = tuple(_observer_item(Role.AFTER, index, code) for code in observers)
    return (*before, _step_item(session, index), *after)


def _step_item(session: Session, index: int) -> Item:
    step = session.steps[index]
    return Item(
        role=Role.STEP,
        step_index=index,
        code=step.code,
        is_expression=step.is_expression,
        binds=step.binds,
        acts=step.acts,
    )


def _observer_item(role: Role, index: int, code: str) -> Item:
    return Item(role=role, step_index=index, code=code, is_expression=True, binds=())


@lru_cache(_MOST_KEPT)
def request(items: tuple[Item, ...], imported: Imported | None = None) -> bytes:
    """Return what an executor is sent to run `items`, after importing what is `imported`.

    The suite's own code is compiled here, once per run: executors share our interpreter.
    """
    codes = tuple(
        compile(item.code, "<session>", "eval" if item.is_expression else "exec", dont_inherit=True)
        for item in items
    )
    asked: dict[str, object] = {} if imported is None else {"import": imported}
    asked["code"] = base64.b64encode(marshal.dumps(codes)).decode("ascii")
    asked["binds"] = [item.binds for item in items]
    return json.dumps(asked).encode()
