"""Relaxes hidden cases, so that they compare no more strictly than the public ones.

The leniency of the spec's own examples holds for cases made from it. A message is only compared if
the spec has it, as readers cannot know how the reference words another one. A case that a right
solution still fails is relaxed step by step before it is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.plugins.authoring.generating.scenes import PlacedClause
from grader.suite.expectations import ALTERNATIVES, tolerance
from grader.values.leniency import Ignored

Written: TypeAlias = Mapping[str, Any]
"""A step as a suite has it, as plain data."""
_NUMBER: Final = re.compile(r"-?\d+(?:[.]\d+)?")
_DIGIT: Final = re.compile(r"\d")
_OF_PROGRAMS: Final = frozenset({Ignored.PROMPTS.value})
_ANY_ORDER: Final = (
    [Ignored.TYPES.value],
    [Ignored.ORDER.value, Ignored.TYPES.value],
)
"""Differences to ignore in a value, more and more."""


@dataclass(frozen=True, slots=True)
class Strictness:
    """How strictly the public suite compares, group by group."""

    steps: Sequence[Written]
    """The steps of the public suite."""
    spec: str
    """The text of the spec, empty without one."""

    def applied(self, step: Written, clause: PlacedClause) -> dict[str, Any]:
        """Return `step`, a case of `clause`, compared no more strictly than in public."""
        compared = [each for each in self._like(step) if ALTERNATIVES.keys() & each.keys()]
        asked = dict(step)
        if "raises" in asked and not self._asks_message(asked, clause):
            asked["raises"] = _type_alone(asked["raises"])
        texts = [str(asked[key]) for key in ALTERNATIVES if key in asked]
        if texts and (ignored := sorted({*clause.ignore, *_shared_ignored(compared)})):
            asked["ignore"] = ignored  # sorted, as a set has any order
        if any(map(_DIGIT.search, texts)):
            least = clause.tolerance or _shared_tolerance(compared)
            asked |= {} if least is None else {"tolerance": least}
        return asked

    def _like(self, step: Written) -> Sequence[Written]:
        """Return the public steps of the group of `step`, or all if it has none."""
        own = [each for each in self.steps if each.get("group") == step.get("group")]
        return own or self.steps

    def _asks_message(self, step: Written, clause: PlacedClause) -> bool:
        of_group = [each["raises"] for each in self._like(step) if "raises" in each]
        if not clause.message or any(text == _type_alone(text) for text in of_group):
            return False
        _, _, said = step["raises"].partition(": ")
        shown = [each["raises"].partition(": ")[2] for each in self.steps if "raises" in each]
        form = _any_number(said)
        return form in map(_any_number, shown) or (bool(said) and form in _any_number(self.spec))


def _any_number(text: str) -> str:
    """Return `text` with `#` for each number, as a spec shows the form of a message.

    Otherwise the random numbers would decide whether a message is compared.
    """
    return _NUMBER.sub("#", text)


def _type_alone(raises: str) -> str:
    return raises.partition(":")[0]


def _shared_ignored(steps: Collection[Written]) -> frozenset[str]:
    """Return the differences that all of `steps` ignore."""
    each = [frozenset(step.get("ignore") or ()) for step in steps]
    return frozenset.intersection(*each) - _OF_PROGRAMS if each else frozenset()


def _shared_tolerance(steps: Collection[Written]) -> object:
    """Return the least tolerance of the `steps` with a number; None if one of them has none."""
    numeric = [
        step
        for step in steps
        if any(_DIGIT.search(str(step[key])) for key in ALTERNATIVES if key in step)
    ]
    given = [step.get("tolerance") for step in numeric]
    if not given or None in given:
        return None
    # A text is a share, which does not compare with a number.
    return min(given, key=lambda each: (isinstance(each, str), _size(each)))


def _size(written: object) -> float:
    leniency = tolerance(written)
    return leniency.relative or leniency.absolute


def less_strict(step: Written) -> Iterator[dict[str, Any]]:
    """Yield `step` compared less and less strictly, as another right solution may need."""
    if "raises" in step and step["raises"] != _type_alone(step["raises"]):
        yield {**step, "raises": _type_alone(step["raises"])}
    if "returns" in step:
        for ignored in _ANY_ORDER:
            if not {*ignored} <= {*step.get("ignore", ())}:
                yield {**step, "ignore": sorted({*step.get("ignore", ()), *ignored})}
