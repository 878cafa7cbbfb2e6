"""Finds the effects of steps on later steps by running the reference with and without a step.

A changed value is identified by its name, and a changed file by the literal of its name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from grader.judging.matching import compare_observer, observations_by_step
from grader.judging.printing import exception_text
from grader.plugins.authoring.deriving.drafts import Draft, is_attempt
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import Item, Role, read_names
from grader.sandbox.scenery import binds_only_names
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import named_files

_CONTENT: Final = "open({file}, 'rb').read()"  # bytes, because the content need not be text
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")
_Screen = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of a step on later steps."""

    changed: frozenset[str] = frozenset()
    """The names and files that it changes."""
    alters: tuple[int, ...] = ()
    """Indexes of later steps that show something different without it. Empty if not tried."""
    is_pure: bool = False
    """Whether its only effect on later steps is to bind a name."""
    is_idle: bool = False
    """Whether it shows the same output with an empty submission."""


class Runners(NamedTuple):
    """Runners for the reference and for an empty submission, with the names of their modules."""

    reference: SessionRunner
    empty: SessionRunner
    modules: tuple[str, ...]


def effects_of(
    drafts: Sequence[Draft], steps: Sequence[Item], functions: Collection[str], runners: Runners
) -> list[Effect]:
    """Return the effect of each of `drafts`, which become `steps`.

    Finding `alters` costs a run for each step. So it is tried only for steps that might be pure,
    for steps that call one of `functions` and show nothing, and in exercises of several modules.
    """
    runner, empty_submission, modules = runners
    screens, empty_screens = (
        _screens(steps, any_runner, modules) for any_runner in (runner, empty_submission)
    )
    effects = []
    for index, things in enumerate(_changed_things(steps, runner, modules)):
        might_be_pure = not things and _only_creates_value(drafts, index)
        is_call = drafts[index].is_silent and drafts[index].subject in functions
        is_tried = might_be_pure or is_call or len(modules) > 1
        alters = _altered_steps(index, steps, screens, runners) if is_tried else ()
        effects.append(
            Effect(
                changed=things,
                alters=alters,
                is_pure=might_be_pure and _dependent_steps(index, drafts).issuperset(alters),
                # Compared as slices, because a run can end early.
                is_idle=empty_screens[index : index + 1] == screens[index : index + 1],
            )
        )
    return effects


def _only_creates_value(drafts: Sequence[Draft], index: int) -> bool:
    """Return whether a step, judged by its syntax, only creates a value from earlier values.

    Return False if it calls a method of an earlier value, because the method might change the value
    without showing it. Return True for a `try` statement that shows a refusal.
    """
    draft, tree = drafts[index], ast.parse(drafts[index].code)
    earlier_drafts = (before for before in drafts[:index] if not _is_import(before))
    earlier_names = {name for before in earlier_drafts for name in before.binds}
    if draft.example.is_setup or earlier_names.isdisjoint(read_names(draft.code)):
        return False
    return is_attempt(tree) or (binds_only_names(tree) and not _calls_method(tree, earlier_names))


def _is_import(draft: Draft) -> bool:
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


def _dependent_steps(index: int, drafts: Sequence[Draft]) -> set[int]:
    """Return the indexes of later steps that need a name bound by step `index`, even indirectly."""
    names, dependent = {*drafts[index].binds}, set[int]()
    for later in range(index + 1, len(drafts)):
        if not names.isdisjoint(read_names(drafts[later].code)):
            names |= {*drafts[later].binds}
            dependent.add(later)
    return dependent


def _altered_steps(
    index: int, steps: Sequence[Item], screens: Sequence[_Screen], runners: Runners
) -> tuple[int, ...]:
    """Return the indexes of the later steps that show something different without step `index`."""
    other_steps = [*steps[:index], *steps[index + 1 :]]
    screens_without = _screens(other_steps, runners.reference, runners.modules)
    # A run can end early, so the lists can differ in length.
    pairs = zip(screens[index + 1 :], screens_without[index:], strict=False)
    return tuple(
        index + 1 + i for i, (original, changed) in enumerate(pairs) if original != changed
    )


def _screens(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[_Screen]:
    """Run `steps` as at a prompt, and return the output and exception of each step.

    The list is shorter than `steps` if the run ends early.
    """
    plan = tuple(replace(step, displays=step.is_expression) for step in steps)
    return [_screen(observation) for observation in runner.run(plan, modules=modules).observations]


def _screen(observation: Observation) -> _Screen:
    """Return the output of a step, and its ending.

    The ending is the text of its exception, the verdict if it died, or an empty string.
    """
    match observation.outcome:
        case Raised() as raised:
            ending = exception_text(raised)
        case Returned():
            ending = ""
        case death:
            ending = death.verdict.value
    # Addresses are removed, because they differ between two runs of the same code.
    return _ADDRESS.sub("", observation.stdout), _ADDRESS.sub("", ending)


def _changed_things(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[frozenset[str]]:
    """Run `steps` on the reference, and return the names and files that each of them changes."""
    expressions = [
        dict(_things_to_observe(steps[:index], step)) for index, step in enumerate(steps)
    ]
    # If no step can change anything, a run would be wasted.
    if not any(expressions):
        return [frozenset()] * len(steps)
    plan: list[Item] = []
    for step, codes in zip(steps, expressions, strict=True):
        observing = replace(step, role=Role.LOOK, is_expression=True, binds=())
        looks = [replace(observing, code=code) for code in codes.values()]
        plan += [*looks, step, *looks]
    observations = observations_by_step(runner.run(tuple(plan), modules=modules), {})
    return [
        frozenset(
            thing
            for thing, code in codes.items()
            if index in observations
            and {code} <= observations[index].before.keys() & observations[index].after.keys()
            if _has_changed(code, observations[index].before[code], observations[index].after[code])
        )
        for index, codes in enumerate(expressions)
    ]


def _things_to_observe(earlier_steps: Sequence[Item], step: Item) -> Iterator[tuple[str, str]]:
    """Yield each name and file that `step` might change, with an expression that reads it.

    `earlier_steps` are all the steps before `step`.
    """
    bound = {name for earlier in earlier_steps for name in earlier.binds}
    for name in sorted(bound & read_names(step.code)):  # sorted, so that the plan is reproducible
        yield name, name
    for file in dict.fromkeys(named_files(step.code)):
        yield repr(file), _CONTENT.format(file=repr(file))


def _has_changed(code: str, before: Observation, after: Observation) -> bool:
    """Return whether the result of the expression `code` after a step differs from that before."""
    # A file that did not exist before raised `FileNotFoundError`.
    is_new = isinstance(before.outcome, Raised) and isinstance(after.outcome, Returned)
    return is_new or not compare_observer(code, before, after).passed
