"""Builds a first suite from the recorded steps of an instructor's own tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final

from grader.plugins.authoring.suite_text import OneLine, as_yaml, as_yaml_number
from grader.suite.texts import MAX_ID_CHARS
from grader.values.foreign_text import count_noun, one_line

_EXPECTATION_KEYS: Final = frozenset({"returns", "stdout", "raises", "same_as"})
_MAX_OMISSIONS: Final = 200
_OMISSION_CHARS: Final = 300
_TITLE_CHARS: Final = 100
_NUMBER_CHARS: Final = 10
"""The length that ids leave free for an appended number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTest:
    """The steps recorded while one test ran on the reference."""

    file: str
    name: str
    title: str
    points: float
    steps: Sequence[Mapping[str, str]]
    """The steps in the form that a suite uses, but without groups."""
    names: Sequence[str] = ()
    """The functions and classes of the submission that the steps use."""
    end_reason: str | None = None
    """Why the steps end before the test does; None if they do not."""

    @property
    def function(self) -> str:
        """The test's name without pytest parameters, as all parameter sets belong to one group."""
        return self.name.partition("[")[0]

    @property
    def omission(self) -> str | None:
        """A message that says how much of the test is left out of the suite, or None if none is."""
        test_name = f"{PurePath(self.file).name}::{self.name}"
        if self.end_reason is not None:
            omitted = "the rest of the test" if self.has_case else "the whole test"
            return f"{test_name}: {self.end_reason}; {omitted} is left out"
        reason = "it compares no result of the reference directly"
        return None if self.has_case else f"{test_name}: {reason}"

    @property
    def has_case(self) -> bool:
        """Whether some step has an expectation."""
        return any(_EXPECTATION_KEYS & step.keys() for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSuite:
    """The header of a suite that is built from tests."""

    exercise: str
    title: str
    language: str
    modules: Sequence[str]
    packages: Sequence[str] = ()

    def text(self, tests: Sequence[RecordedTest], *, schema: str | None) -> str:
        """Return the text of the suite file for `tests`.

        Comments at its start list what could not be recorded.
        """
        recorded = [test for test in tests if test.has_case]
        recorded_count = count_noun(len(recorded), "test")
        omissions = [test.omission for test in tests if test.omission is not None]
        lines = [
            f"Recorded from {recorded_count}, as a first version for you to edit.",
            "It has only results that the tests compare with == or is, or assert to be true.",
            *([f"Not recorded ({len(omissions)}):"] if omissions else []),
            *(
                f"- {one_line(omission, _OMISSION_CHARS)}"
                for omission in omissions[:_MAX_OMISSIONS]
            ),
        ]
        return as_yaml(self._document(recorded), schema=schema, origin="\n# ".join(lines))

    def _document(self, tests: Sequence[RecordedTest]) -> dict[str, Any]:
        """Return the suite of `tests` as plain data, with a group per test function.

        The points of a group are the sum over the parameter sets of its function.
        """
        functions = list(dict.fromkeys((test.file, test.function) for test in tests))
        group_ids = _make_distinct(_id(name.rpartition("::")[2]) for _, name in functions)
        groups = dict(zip(functions, group_ids, strict=True))
        points = dict.fromkeys(functions, 0.0)
        for test in tests:
            points[test.file, test.function] += test.points
        module_keys = (
            {"module": self.modules[0]} if len(self.modules) == 1 else {"modules": [*self.modules]}
        )
        return {
            "exercise": self.exercise,
            "title": self.title,
            "language": self.language,
            **module_keys,
            "defines": sorted({name for test in tests for name in test.names}),
            **({"imports": ["standard", *self.packages]} if self.packages else {}),
            "groups": [
                OneLine(id=groups[function], points=as_yaml_number(maximum))
                for function, maximum in points.items()
            ],
            "sessions": [
                {
                    "id": name,
                    "title": one_line(test.title or test.name, _TITLE_CHARS),
                    "steps": [_step(step, groups[test.file, test.function]) for step in test.steps],
                }
                for name, test in zip(
                    _make_distinct(_id(test.name) for test in tests), tests, strict=True
                )
            ],
        }


def _step(step: Mapping[str, str], group: str) -> dict[str, str]:
    return {**step, "group": group} if _EXPECTATION_KEYS & step.keys() else dict(step)


def truncate_test(test: RecordedTest, index: int, reason: str) -> RecordedTest:
    """Return `test` without the step at `index` and the steps after it.

    Steps that only prepared the removed ones are dropped too. `reason` says why the test ends
    there.
    """
    steps = list(test.steps[:index])
    while steps and not _EXPECTATION_KEYS & steps[-1].keys():
        steps.pop()
    return replace(test, steps=tuple(steps), end_reason=reason)


def _make_distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield `names`, with a number appended to each name that was used before, ignoring case."""
    used_names: set[str] = set()
    for name in names:
        number, candidate = 1, name
        while candidate.casefold() in used_names:
            number += 1
            candidate = f"{name}-{number}"
        used_names.add(candidate.casefold())
        yield candidate


def _id(name: str) -> str:
    """Return an id for a group or a session, built from the name of a test."""
    text = re.sub(r"\W+", "-", re.sub(r"\btest_", "", name)).strip("-")
    return text[: MAX_ID_CHARS - _NUMBER_CHARS] or "test"
