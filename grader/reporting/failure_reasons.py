"""Finds the reason why a case failed, which is equal for failures that share a mistake.

Failures have the same reason if an exception was raised by the same line of the submission, if a
step was not tried because the same earlier step failed, and otherwise if they are in the same
group. An exception from a line or step that names a function with wrong answers is attributed to
that function, and so is a case that passes with our own helper of that name. Hidden failures count
like public ones, but they share the reason of the public failures in their group, or of failures
that lack the same name, because the way in which a hidden case failed would reveal its question.
Nothing is shown of a hidden failure that its group does not show anyway.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from grader.judging.record import CaseResult
from grader.verdict import Verdict, Visibility

Reason: TypeAlias = tuple[str, ...]
"""The kind of the reason, and what identifies it among reasons of that kind."""
Failure: TypeAlias = tuple[str, CaseResult]
"""The id of a group, and a failed case in it."""
MISSING_MODULE: Final = "skipped.module"
"""The key of the message about cases whose module cannot be loaded."""
MISSING_NAME: Final = "skipped.name"
"""The start of message keys about cases that need a name which is not defined."""
_WORD: Final = re.compile(r"\w+")


def _missing_reason(case: CaseResult) -> Reason | None:
    """Return the reason why `case` was not tried if a module or name was missing, or else None."""
    if not any(
        message.key == MISSING_MODULE or message.key.startswith(MISSING_NAME)
        for message in case.explanation
    ):
        return None
    if case.cause is not None:
        return ("cause", case.cause)
    return _first_message_reason(case)


def _first_message_reason(case: CaseResult) -> Reason:
    return ("message", *(str(message.to_json()) for message in case.explanation[:1]))


class Reasons:
    """Finds the reasons why cases failed, so that equal reasons can be grouped."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        """Index `failures` by the step and by the group in which they occurred."""
        self._wrong_groups: Final = {
            group
            for group, case in failures
            if case.verdict is Verdict.WRONG and case.visibility is Visibility.PUBLIC
        }
        self._by_step: Final[dict[str, Reason]] = {}
        self._by_group: Final[dict[str, Reason]] = {}
        for group, case in failures:
            if case.cause is None:
                self._by_step.setdefault(case.code, self.reason_for(group, case))
        # A separate loop, because `reason_for` looks up the steps that the loop above indexes.
        for group, case in failures:
            if case.visibility is Visibility.PUBLIC and case.verdict is not Verdict.NOT_RUN:
                self._by_group.setdefault(group, self.reason_for(group, case))

    def reason_for(self, group: str, case: CaseResult) -> Reason:
        """Return the reason why `case` failed, which is equal for cases with the same mistake.

        `group` is the id of the group of `case`.
        """
        # A hidden case gets a reason known from public cases: a reason of its own would reveal what
        # the case asks.
        if case.visibility is Visibility.HIDDEN:
            missing = _missing_reason(case)
            equal_reasons = [reason for reason in self._by_group.values() if reason == missing]
            return self._by_group.get(
                group, equal_reasons[0] if equal_reasons else ("group", group)
            )
        for message in case.explanation:
            if message.key == "stand_ins.helpers":
                helper = str(dict(message.parameters)["last"])
                return self._by_group.get(helper, ("group", helper))
        if case.cause is not None:
            return self._by_step.get(case.cause, ("cause", case.cause))
        if case.verdict is Verdict.SKIPPED:  # for instance because its module cannot be loaded
            return _first_message_reason(case)
        if case.verdict is not Verdict.ERROR or group in self._wrong_groups:
            return ("group", group)
        source = case.source
        text = case.code if source is None else source.text
        wrong_group = next(
            (word for word in _WORD.findall(text) if word in self._wrong_groups), None
        )
        if wrong_group is not None:
            return ("group", wrong_group)
        return ("group", group) if source is None else ("line", source.file, str(source.line))


def blocking_groups(
    failures: Sequence[Failure], counterexamples: Mapping[str, CaseResult | None]
) -> Mapping[str, str]:
    """Return, for each group, which group prevented its hidden cases from being tried.

    If none of the hidden cases of a group were tried, and its counterexample raised in a step that
    names another group, that other group is to blame. All remaining groups are mapped to
    themselves.
    """
    blocking = {group: group for group, _ in failures}
    tried_groups = {
        group
        for group, case in failures
        if case.visibility is Visibility.HIDDEN and case.verdict is not Verdict.SKIPPED
    }
    for group in blocking.keys() - tried_groups:
        example = counterexamples.get(group)
        if example is not None and example.verdict is Verdict.ERROR:
            words = _WORD.findall(example.code)
            blocking[group] = next((word for word in words if word in blocking), group)
    return blocking
