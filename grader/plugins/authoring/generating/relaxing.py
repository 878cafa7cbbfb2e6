"""Relaxes hidden cases, so that they are compared no more strictly than public ones.

The leniency of the examples in the spec also applies to generated cases. A message is compared
only if the spec contains it, because readers cannot know how the reference words other messages. A
case that a right solution still fails is relaxed step by step before it is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.plugins.authoring.generating.scenes import PlacedClause
from grader.suite.expectations import ALTERNATIVE_PARSERS, parse_tolerance
from grader.values.leniency import Ignored

StepData: TypeAlias = Mapping[str, Any]
"""A step of a suite, as plain data."""
_NUMBER: Final = re.compile(r"-?\d+(?:[.]\d+)?")
_DIGIT: Final = re.compile(r"\d")
_ONLY_FOR_PROGRAMS: Final = frozenset({Ignored.PROMPTS.value})
"""Differences that only steps with a screen can ignore; generated cases have none."""
_VALUE_DIFFERENCES: Final = (
    [Ignored.TYPES.value],
    [Ignored.ORDER.value, Ignored.TYPES.value],
)
"""The differences to ignore in a value, in order of increasing leniency."""


@dataclass(frozen=True, slots=True)
class Strictness:
    """How strictly the public suite compares the answers of each group."""

    steps: Sequence[StepData]
    """The steps of the public suite."""
    spec: str
    """The text of the spec; empty if there is none."""

    def relax(self, step: StepData, clause: PlacedClause) -> dict[str, Any]:
        """Return `step`, a case of `clause`, relaxed to the strictness of the public suite."""
        public_steps = [
            public_step
            for public_step in self._public_steps_like(step)
            if ALTERNATIVE_PARSERS.keys() & public_step.keys()
        ]
        relaxed = dict(step)
        if "raises" in relaxed and not self._must_compare_message(relaxed, clause):
            relaxed["raises"] = _exception_type(relaxed["raises"])
        texts = [str(relaxed[key]) for key in ALTERNATIVE_PARSERS if key in relaxed]
        if texts and (ignored := sorted({*clause.ignore, *_shared_ignored(public_steps)})):
            relaxed["ignore"] = ignored  # sorted, because a set has no fixed order
        if any(map(_DIGIT.search, texts)):
            tolerance = clause.tolerance or _shared_tolerance(public_steps)
            relaxed |= {} if tolerance is None else {"tolerance": tolerance}
        return relaxed

    def _public_steps_like(self, step: StepData) -> Sequence[StepData]:
        """Return the public steps in the group of `step`, or all public steps if there are none."""
        same_group = [
            public_step
            for public_step in self.steps
            if public_step.get("group") == step.get("group")
        ]
        return same_group or self.steps

    def _must_compare_message(self, step: StepData, clause: PlacedClause) -> bool:
        """Return whether the message of the exception in `step` is compared.

        It is compared if `clause` does not forbid it, if the public suite compares the messages
        of the group, and if the suite or the spec shows this message, apart from its numbers.
        """
        group_raises = [
            public_step["raises"]
            for public_step in self._public_steps_like(step)
            if "raises" in public_step
        ]
        if not clause.message or any(text == _exception_type(text) for text in group_raises):
            return False
        _, _, message = step["raises"].partition(": ")
        public_messages = [
            public_step["raises"].partition(": ")[2]
            for public_step in self.steps
            if "raises" in public_step
        ]
        masked = _with_numbers_masked(message)
        return masked in map(_with_numbers_masked, public_messages) or (
            bool(message) and masked in _with_numbers_masked(self.spec)
        )


def _with_numbers_masked(text: str) -> str:
    """Return `text` with each number replaced with `#`.

    A spec shows a message with some numbers, while a generated case has random ones.
    """
    return _NUMBER.sub("#", text)


def _exception_type(raises: str) -> str:
    return raises.partition(":")[0]


def _shared_ignored(steps: Collection[StepData]) -> frozenset[str]:
    """Return the differences that all of `steps` ignore."""
    ignored_sets = [frozenset(step.get("ignore") or ()) for step in steps]
    return (
        frozenset.intersection(*ignored_sets) - _ONLY_FOR_PROGRAMS if ignored_sets else frozenset()
    )


def _shared_tolerance(steps: Collection[StepData]) -> object:
    """Return the smallest tolerance among those `steps` that expect a number.

    Any absolute tolerance counts as smaller than a relative one. Return None if no step expects a
    number, or if one that expects a number has no tolerance.
    """
    numeric = [
        step
        for step in steps
        if any(_DIGIT.search(str(step[key])) for key in ALTERNATIVE_PARSERS if key in step)
    ]
    tolerances = [step.get("tolerance") for step in numeric]
    if not tolerances or None in tolerances:
        return None
    # A string is a relative tolerance, which cannot be compared with an absolute one.
    return min(tolerances, key=lambda value: (isinstance(value, str), _size(value)))


def _size(tolerance: object) -> float:
    leniency = parse_tolerance(tolerance)
    return leniency.relative or leniency.absolute


def relaxed_variants(step: StepData) -> Iterator[dict[str, Any]]:
    """Yield variants of `step` that are compared less and less strictly."""
    if "raises" in step and step["raises"] != _exception_type(step["raises"]):
        yield {**step, "raises": _exception_type(step["raises"])}
    if "returns" in step:
        for ignored in _VALUE_DIFFERENCES:
            if not {*ignored} <= {*step.get("ignore", ())}:
                yield {**step, "ignore": sorted({*step.get("ignore", ()), *ignored})}
