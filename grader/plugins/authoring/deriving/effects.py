"""Finds the effects of steps on later ones: runs the reference with and without a step.

Changed values are identified by their name, files by the literal of their name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from grader.judging.matching import observed, unchanged
from grader.judging.printing import exception_text
from grader.plugins.authoring.deriving.drafts import Draft, is_attempt
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import Item, Role, names_read, only_names
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import named_files

_CONTENT: Final = "open({file}, 'rb').read()"  # bytes: it need not be text
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")
_Screen = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of a step."""

    changed: frozenset[str] = frozenset()
    """The names and files that it changes."""
    alters: tuple[int, ...] = ()
    """The later steps that show something else without it; empty if that was not tried."""
    is_pure: bool = False
    """Whether its only effect on later steps is to bind a name."""
    is_idle: bool = False
    """Whether it shows the same if nothing is handed in."""


class Runners(NamedTuple):
    """Runners of the reference, and of an empty submission."""

    reference: SessionRunner
    nothing: SessionRunner
    modules: tuple[str, ...]


def effects_of(
    drafts: Sequence[Draft], steps: Sequence[Item], functions: Collection[str], runners: Runners
) -> list[Effect]:
    """Return the effect of each of `drafts`, which become `steps`.

    `alters` costs a run per step, so it is tried only for steps that may be pure, that call one of
    `functions` and show nothing, and in exercises of several modules.
    """
    runner, nothing, modules = runners
    screens, empty = (_screens(steps, each, modules) for each in (runner, nothing))
    found = []
    for index, things in enumerate(_changed_things(steps, runner, modules)):
        may_be_pure = not things and _only_makes(drafts, index)
        is_call = drafts[index].is_silent and drafts[index].subject in functions
        is_asked = may_be_pure or is_call or len(modules) > 1
        alters = _altered(index, steps, screens, runners) if is_asked else ()
        found.append(
            Effect(
                changed=things,
                alters=alters,
                is_pure=may_be_pure and _following(index, drafts).issuperset(alters),
                # Slices, as a run may end early.
                is_idle=empty[index : index + 1] == screens[index : index + 1],
            )
        )
    return found


def _only_makes(drafts: Sequence[Draft], index: int) -> bool:
    """Return whether a step, by its form, only makes a value of earlier values.

    Not if it calls a method, which may change its object invisibly.
    """
    draft, tree = drafts[index], ast.parse(drafts[index].code)
    earlier = (each for each in drafts[:index] if not _imports(each))
    known = {name for each in earlier for name in each.binds}
    if draft.example.is_setup or known.isdisjoint(names_read(draft.code)):
        return False
    return is_attempt(tree) or (only_names(tree) and not _calls_method(tree, known))


def _imports(draft: Draft) -> bool:
    return isinstance(ast.parse(draft.code).body[0], ast.Import | ast.ImportFrom)


def _calls_method(tree: ast.Module, names: Collection[str]) -> bool:
    """Return whether `tree` calls a method of a value that has one of `names`."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in names
        for node in ast.walk(tree)
    )


def _following(index: int, drafts: Sequence[Draft]) -> set[int]:
    """Return the later steps that read a name bound by step `index`, directly or indirectly."""
    named, found = {*drafts[index].binds}, set[int]()
    for later in range(index + 1, len(drafts)):
        if not named.isdisjoint(names_read(drafts[later].code)):
            named |= {*drafts[later].binds}
            found.add(later)
    return found


def _altered(
    index: int, steps: Sequence[Item], screens: Sequence[_Screen], runners: Runners
) -> tuple[int, ...]:
    """Return the later steps that show something else without step `index`."""
    fewer = [*steps[:index], *steps[index + 1 :]]
    without = _screens(fewer, runners.reference, runners.modules)
    # A run may end early, so the lists may differ in length.
    pairs = zip(screens[index + 1 :], without[index:], strict=False)
    return tuple(index + 1 + i for i, (one, other) in enumerate(pairs) if one != other)


def _screens(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[_Screen]:
    """Return the output of each of `steps` at a prompt, and the exception that it raises."""
    plan = tuple(replace(step, displays=step.is_expression) for step in steps)
    return [_screen(each) for each in runner.run(plan, modules=modules).observations]


def _screen(seen: Observation) -> _Screen:
    match seen.outcome:
        case Raised() as raised:
            raises = exception_text(raised)
        case Returned():
            raises = ""
        case died:
            raises = died.verdict.value
    # Addresses of objects differ between two runs of the same code.
    return _ADDRESS.sub("", seen.stdout), _ADDRESS.sub("", raises)


def _changed_things(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[frozenset[str]]:
    """Return the names and files that each of `steps` changes, with the reference in `runner`."""
    looks = [dict(_looks(steps[:index], step)) for index, step in enumerate(steps)]
    # Without anything to look at, a run would show nothing.
    if not any(looks):
        return [frozenset()] * len(steps)
    plan: list[Item] = []
    for step, codes in zip(steps, looks, strict=True):
        looking = replace(step, role=Role.LOOK, is_expression=True, binds=())
        around = [replace(looking, code=code) for code in codes.values()]
        plan += [*around, step, *around]
    seen = observed(runner.run(tuple(plan), modules=modules), {})
    return [
        frozenset(
            thing
            for thing, code in codes.items()
            if index in seen and {code} <= seen[index].before.keys() & seen[index].after.keys()
            if _is_other(code, seen[index].before[code], seen[index].after[code])
        )
        for index, codes in enumerate(looks)
    ]


def _looks(before: Sequence[Item], step: Item) -> Iterator[tuple[str, str]]:
    """Yield the names and files that `step` may change, each with code that reads it."""
    bound = {name for each in before for name in each.binds}
    for name in sorted(bound & names_read(step.code)):  # the same plan each time
        yield name, name
    for file in dict.fromkeys(named_files(step.code)):
        yield repr(file), _CONTENT.format(file=repr(file))


def _is_other(code: str, before: Observation, after: Observation) -> bool:
    # A file that did not exist before raised `FileNotFoundError`.
    is_new = isinstance(before.outcome, Raised) and isinstance(after.outcome, Returned)
    return is_new or not unchanged(code, before, after).passed
