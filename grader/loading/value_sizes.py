"""Finds values that a session expects and that are too large for its suite's own limits.

No executor could answer with one, so every submission would fail.
"""

from __future__ import annotations

import math

from grader.limits import Limits
from grader.loading.document import NodePath
from grader.loading.drafts import SessionDraft
from grader.loading.findings import Findings
from grader.values import caps_for


def check_value_sizes(
    path: NodePath, session: SessionDraft, limits: Limits, findings: Findings
) -> None:
    """Report each step of the session at `path` that must return a value over one of `limits`."""
    for number, form in enumerate(session.steps):
        if form is None or form.returns is None:
            continue
        needed = caps_for(form.returns.value)
        for limit, most, found in (
            ("value_items", limits.value_items, needed.value_items),
            ("value_depth", limits.value_depth, needed.value_depth),
            ("value_chars", limits.value_chars, needed.value_chars),
            ("int_digits", limits.int_digits, _decimal_digits(needed.int_bits)),
        ):
            if found > most:
                message = f"this value is over the limit {limit!r} ({most:,})"
                findings.at_value(
                    (*path, "steps", number, "returns"),
                    f"{message}, so no answer is that large",
                    f"raise {limit} to {found}, or expect a part of it",
                )


def _decimal_digits(bits: int) -> int:
    """Return how many decimal digits the least integer of `bits` has."""
    return math.floor(math.log10(2) * (bits - 1)) + 1
