"""Checks the values of a decision: its subject, points, verdict and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from grader.errors import UsageError
from grader.judging.deciding import Decision, Finding, Subject, findings
from grader.judging.record import Record
from grader.values.foreign_text import escape_controls, one_line
from grader.verdict import RuleVerdict

MAX_REASON_CHARS: Final = 2_000
MAX_SHOWN: Final = 20
"""The maximum number of mistakes or names to list in a message."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,6}(?:[.][0-9]{1,6}|,[0-9]{1,2})?", re.ASCII)
"""A comma before three digits is rejected, because it might be a thousands separator."""
_VERDICTS: Final = {"kept": RuleVerdict.PASSED, "broken": RuleVerdict.BROKEN}
_ITEM: Final = re.compile(r"[\w.-]{1,60}")


def subject_text(decision: Decision) -> str:
    """Return the subject of a decision, for error messages."""
    if decision.about is Subject.PAGE:
        return "comment"
    return one_line(f"{decision.about} {decision.subject}".strip())


def find_finding(record: Record, about: Subject, subject: str) -> Finding:
    """Return the finding on `subject`; raises `UsageError` if it does not exist in `record`."""
    findings_by_subject = findings(record)
    # The grader finds no bonus items: a new name is as good as a known one.
    if about is Subject.BONUS and (not subject or _ITEM.fullmatch(subject)):
        return findings_by_subject[about, ""]
    if (about, subject) in findings_by_subject:
        return findings_by_subject[about, subject]
    if about is Subject.BONUS:
        raise UsageError(
            f"{one_line(subject, 60)!r} is not a valid item name",
            help="use at most 60 letters, digits, dots, - and _",
        )
    known_names = [name for kind, name in findings_by_subject if kind is about]
    similar = get_close_matches(subject, known_names, 3, cutoff=0.5)
    listed = ", ".join(one_line(name, 60) for name in similar or known_names[:MAX_SHOWN])
    more = (
        ""
        if similar or len(known_names) <= MAX_SHOWN
        else f" and {len(known_names) - MAX_SHOWN} more"
    )
    suggestion = f"did you mean: {listed}" if similar else f"it has these {about}s: {listed}{more}"
    raise UsageError(
        f"there is no {about} {one_line(subject, 60)} in the submission",
        help=suggestion if known_names else f"it has no {about}s at all: use --total or --bonus",
    )


def parse_points(text: str, max_points: float, limit: str, min_points: float = 0.0) -> float:
    """Parse a number from `min_points` to `max_points`; `limit` describes the maximum in words.

    Raises `UsageError` if the number is invalid or out of range.
    """
    if not _NUMBER.fullmatch(text):
        raise UsageError(
            f"{one_line(text, 40)!r} is not a number of points",
            help="give a number, for example 2 or 2.5",
        )
    if text.startswith("-") and min_points >= 0:
        raise UsageError(f"{text} is a negative number of points", help=f"give 0 to {max_points:g}")
    points = float(text.replace(",", "."))
    if points < min_points:
        raise UsageError(
            f"a deduction of {-points:g} is more than {limit}: {-min_points:g}",
            help=f"deduct at most {-min_points:g}",
        )
    if points > max_points:
        raise UsageError(
            f"{points:g} is more than {limit}: {max_points:g}",
            help=f"give at most {max_points:g}",
        )
    return points


def parse_verdict(text: str) -> RuleVerdict:
    """Return the verdict on a rule that `text` names; raises `UsageError` if it names none."""
    if text.lower() not in _VERDICTS:
        raise UsageError(
            f"unknown verdict {one_line(text, 40)!r}" if text else "the verdict is missing",
            help="use --verdict kept or --verdict broken",
        )
    return _VERDICTS[text.lower()]


def check_text(text: str, field: str) -> str:
    """Return `text` with control characters escaped.

    Raises `UsageError`, which names the `field`, if the text is too long.
    """
    if len(text) > MAX_REASON_CHARS:
        raise UsageError(
            f"the {field} has more than {MAX_REASON_CHARS} characters", help=f"shorten the {field}"
        )
    return escape_controls(text)


def combined_error(errors: Sequence[tuple[int | None, UsageError]]) -> UsageError:
    """Return a single error that lists `errors` with their lines, up to a limit.

    The error of the command line, which has no line, is returned unchanged.
    """
    if errors[0][0] is None:  # the command line has only one mark
        return errors[0][1]
    listed = [
        f"  line {line}: {error.message}" + (f" ({error.help})" if error.help else "")
        for line, error in errors[:MAX_SHOWN]
    ]
    more = [f"  ... and {len(errors) - MAX_SHOWN} more"] * (len(errors) > MAX_SHOWN)
    return UsageError(
        "\n".join(("nothing was decided, because some lines have mistakes:", *listed, *more)),
        help="correct these lines, where a column such as `points` takes the place of --points,"
        " and run the same command again",
    )
