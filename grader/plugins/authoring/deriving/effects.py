"""What steps do to later ones, as the reference shows: it is run, and run with one thing left out.

A name stands for its value, and a file is known by the literal of its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from grader.judging.matching import observed, unchanged
from grader.judging.printing import exception_text
from grader.plugins.authoring.deriving.drafts import Draft, is_attempt
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import Item, Role, names_read, only_names
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import named_files

_CONTENT: Final = "open({file}, 'rb').read()"
_Screen = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What comes of a step."""

    changed: frozenset[str] = frozenset()
    """The things that it changes."""
    seen: tuple[int, ...] = ()
    """Of a step that shows nothing: the later examples that show something else without it."""
    is_pure: bool = False
    """Whether it does nothing to later ones but to give them a value with a name."""
    is_idle: bool = False
    """Whether it shows the same where nothing is handed in."""


class Runners(NamedTuple):
    """What runs steps on the reference, and where nothing is handed in."""

    reference: SessionRunner
    nothing: SessionRunner
    modules: tuple[str, ...]


def effects_of(drafts: Sequence[Draft], steps: Sequence[Item], runners: Runners) -> list[Effect]:
    """Return the effect of each of `drafts`, whose `steps` these are."""
    runner, nothing, modules = runners
    screens, empty = (_screens(steps, each, modules) for each in (runner, nothing))
    return [
        Effect(
            changed=things,
            seen=_seen(index, drafts, steps, screens, runners) if drafts[index].is_silent else (),
            is_pure=not things and _is_pure(index, drafts, steps, screens, runners),
            is_idle=empty[index : index + 1] == screens[index : index + 1],
        )
        for index, things in enumerate(_changed_things(steps, runner, modules))
    ]


def _seen(
    index: int,
    drafts: Sequence[Draft],
    steps: Sequence[Item],
    screens: Sequence[_Screen],
    runners: Runners,
) -> tuple[int, ...]:
    """Return which later examples show something else without step `index`."""
    shown = [i for i, draft in enumerate(drafts) if draft.lines and i > index]
    if not shown:
        return ()
    without = _without(index, steps, runners)
    return tuple(i for i in shown if without[i - 1 : i] != [screens[i]])


def _is_pure(
    index: int,
    drafts: Sequence[Draft],
    steps: Sequence[Item],
    screens: Sequence[_Screen],
    runners: Runners,
) -> bool:
    """Return whether step `index` gives a value a name, and is for nothing else."""
    draft = drafts[index]
    known = {name for each in drafts[:index] for name in each.binds}
    if draft.example.is_setup or known.isdisjoint(names_read(draft.code)):
        return False
    tree = ast.parse(draft.code)
    if not (only_names(tree) or is_attempt(tree)):
        return False
    without = _without(index, steps, runners)
    named = {*draft.binds}
    for later in range(index + 1, len(drafts)):
        if not named.isdisjoint(names_read(drafts[later].code)):
            named |= {*drafts[later].binds}
        elif without[later - 1 : later] != [screens[later]]:
            return False
    return True


def _without(index: int, steps: Sequence[Item], runners: Runners) -> list[_Screen]:
    """Return the screens of all steps but that at `index`, which is left out."""
    fewer = [*steps[:index], *steps[index + 1 :]]
    return _screens(fewer, runners.reference, runners.modules)


def _screens(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[_Screen]:
    """Return what the prompt shows of each of `steps`, and what it raises."""
    plan = tuple(replace(step, displays=step.is_expression) for step in steps)
    return [_screen(each) for each in runner.run(plan, modules=modules).observations]


def _screen(seen: Observation) -> _Screen:
    match seen.outcome:
        case Raised() as raised:
            return seen.stdout, exception_text(raised)
        case Returned():
            return seen.stdout, ""
        case died:
            return seen.stdout, died.verdict.value


def _changed_things(
    steps: Sequence[Item], runner: SessionRunner, modules: tuple[str, ...]
) -> list[frozenset[str]]:
    """Return what each of `steps` changes with the reference in `runner`, which has `modules`."""
    looks = [dict(_looks(steps[:index], step)) for index, step in enumerate(steps)]
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
    """Yield what `step` may change, each with the code that looks at it."""
    bound = {name for each in before for name in each.binds}
    for name in sorted(bound & names_read(step.code)):
        yield name, name
    for file in dict.fromkeys(named_files(step.code)):
        yield repr(file), _CONTENT.format(file=repr(file))


def _is_other(code: str, before: Observation, after: Observation) -> bool:
    is_new = isinstance(before.outcome, Raised) and isinstance(after.outcome, Returned)
    return is_new or not unchanged(code, before, after).passed
