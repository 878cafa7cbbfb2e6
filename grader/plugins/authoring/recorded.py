"""Makes a first suite of the recorded steps of an instructor's own tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final

from grader.plugins.authoring.suite_text import OneLine, as_yaml, written_points
from grader.suite.texts import MAX_ID_CHARS
from grader.values.foreign_text import one_line

_KEYS: Final = frozenset({"returns", "stdout", "raises", "same_as"})
_MAX_TOLD: Final = 200
_MAX_TITLE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTest:
    """The recorded steps of one test on the reference."""

    file: str
    name: str
    title: str
    points: float
    steps: Sequence[Mapping[str, str]]
    """As in a suite, but without groups."""
    names: Sequence[str] = ()
    """The functions and classes of the submission that the steps use."""
    closed: str | None = None
    """Why the steps end before the test does."""

    @property
    def function(self) -> str:
        """Its name without parameters, which all belong to one group."""
        return self.name.partition("[")[0]

    @property
    def left_out(self) -> str | None:
        """A sentence on the part of it that is not in the suite, or None."""
        called = f"{PurePath(self.file).name}::{self.name}"
        if self.closed is not None:
            much = "from there on nothing" if self.has_case else "nothing of it"
            return f"{called}: {self.closed}; {much} is here"
        why = "nothing that the reference gave is compared as it is"
        return None if self.has_case else f"{called}: {why}"

    @property
    def has_case(self) -> bool:
        """Whether something is expected."""
        return any(_KEYS & each.keys() for each in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSuite:
    """The head of a suite that is made of tests."""

    exercise: str
    title: str
    language: str
    modules: Sequence[str]
    packages: Sequence[str] = ()

    def text(self, tests: Sequence[RecordedTest], *, schema: str | None) -> str:
        """Return the suite file of `tests`, with comments on what could not be recorded."""
        kept = [each for each in tests if each.has_case]
        told = [each.left_out for each in tests if each.left_out is not None]
        lines = [
            f"Recorded of {len(kept)} tests: a first version, and yours from now on. It has what",
            "they compare with == or is, or hold to be true, not what they work out themselves.",
            *([f"Not recorded ({len(told)}):"] if told else []),
            *(f"- {one_line(each, 300)}" for each in told[:_MAX_TOLD]),
        ]
        return as_yaml(self._document(kept), schema=schema, origin="\n# ".join(lines))

    def _document(self, tests: Sequence[RecordedTest]) -> dict[str, Any]:
        functions = list(dict.fromkeys((each.file, each.function) for each in tests))
        called = _told_apart(_id(name.rpartition("::")[2]) for _, name in functions)
        groups = dict(zip(functions, called, strict=True))
        points = dict.fromkeys(functions, 0.0)
        for each in tests:
            points[each.file, each.function] += each.points
        named = (
            {"module": self.modules[0]} if len(self.modules) == 1 else {"modules": [*self.modules]}
        )
        return {
            "exercise": self.exercise,
            "title": self.title,
            "language": self.language,
            **named,
            "defines": sorted({name for each in tests for name in each.names}),
            **({"imports": ["standard", *self.packages]} if self.packages else {}),
            "groups": [
                OneLine(id=groups[each], points=written_points(most))
                for each, most in points.items()
            ],
            "sessions": [
                {
                    "id": name,
                    "title": one_line(test.title or test.name, _MAX_TITLE),
                    "steps": [_step(step, groups[test.file, test.function]) for step in test.steps],
                }
                for name, test in zip(
                    _told_apart(_id(each.name) for each in tests), tests, strict=True
                )
            ],
        }


def _step(step: Mapping[str, str], group: str) -> dict[str, str]:
    return {**step, "group": group} if _KEYS & step.keys() else dict(step)


def cut_off(test: RecordedTest, place: int, why: str) -> RecordedTest:
    """Return `test` without the step at `place`, and those after it."""
    steps = list(test.steps[:place])
    while steps and not _KEYS & steps[-1].keys():  # what only prepared the rest
        steps.pop()
    return replace(test, steps=tuple(steps), closed=why)


def _told_apart(names: Iterable[str]) -> Iterator[str]:
    taken: set[str] = set()
    for name in names:
        number, told = 1, name
        while told.casefold() in taken:
            number += 1
            told = f"{name}-{number}"
        taken.add(told.casefold())
        yield told


def _id(name: str) -> str:
    """Return the id of a group or a session, after the name of a test."""
    words = re.sub(r"\W+", "-", re.sub(r"\btest_", "", name)).strip("-")
    return words[: MAX_ID_CHARS - 10] or "test"  # with room for a number behind it
