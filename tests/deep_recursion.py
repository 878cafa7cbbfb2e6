"""Sessions that go too deep, and what is said of their cases."""

from __future__ import annotations

from typing import Any, Final

from builders import by_id, graded

from grader.judging.record import CaseResult
from grader.sandbox.zygote import Zygote

PLAIN: Final = "error.recursion"


def tried(zygote: Zygote, source: str, *steps: str, head: str = "") -> list[CaseResult]:
    """Return the cases of `steps`, which should give 6, on `source`; actions give no case."""
    lines = [f"- {{do: {step!r}, returns: '6', group: g}}" for step in steps]
    return among(zygote, source, lines, head)


def among(zygote: Zygote, source: str, steps: list[str], head: str = "") -> list[CaseResult]:
    """Return the cases of a session of `steps` in YAML on `source`."""
    body = "\n".join(
        [head, "groups: [{id: g, points: 1}]", "sessions:", "- id: s", "  steps:"]
        + [f"  {line}" for line in steps]
    )
    return list(by_id(graded(zygote, body, source)).values())


def said(case: CaseResult) -> dict[str, dict[str, Any]]:
    """Return what is said of `case`: the parameters of each message by its key."""
    return {each.key: dict(each.parameters) for each in case.explanation}
