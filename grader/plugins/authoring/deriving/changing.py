"""Finds what each step of a session changes of what is there already, as the reference shows.

That is the value of a name, such as a list that a function was given, or a file that is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from grader.judging.matching import observed, unchanged
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import Item, Role, names_read
from grader.sandbox.sessions import SessionRunner
from grader.suite.session_checks import named_files

_CONTENT: Final = "open({file}, 'rb').read()"


def changed_things(
    steps: Sequence[Item], runner: SessionRunner, module: str
) -> list[frozenset[str]]:
    """Return what each of `steps` changes with the reference in `runner`, which is in `module`.

    A name stands for its value, and a file is known by the literal of its name.
    """
    looks = [dict(_looks(steps[:index], step)) for index, step in enumerate(steps)]
    if not any(looks):
        return [frozenset()] * len(steps)
    plan: list[Item] = []
    for step, codes in zip(steps, looks, strict=True):
        looking = replace(step, role=Role.LOOK, is_expression=True, binds=())
        around = [replace(looking, code=code) for code in codes.values()]
        plan += [*around, step, *around]
    seen = observed(runner.run(tuple(plan), modules=(module,)), {})
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
