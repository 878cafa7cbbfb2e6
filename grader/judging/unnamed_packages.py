"""Tells staff of packages that a submission uses, and that its suite could name and does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judging.results import Results
from grader.messages import Message, message
from grader.suite.vocabulary import GIVABLE_PACKAGES
from grader.verdict import Verdict


def unnamed_packages(remarks: Sequence[Message], results: Results) -> Iterator[Message]:
    """Yield what staff should know, given what the `remarks` tell the student of its imports.

    Whether a course allows a package is for staff to say. A program that needs one may be right.
    """
    is_stopped = any(each.verdict is Verdict.FORBIDDEN for each in results.values())
    used: set[str] = set()
    for remark in remarks:
        told = dict(remark.parameters)
        if remark.key == "loading.not_allowed":
            used.add(str(told["module"]))
        elif remark.key == "remark.absent" and is_stopped:
            used.update(str(told["modules"]).split(", "))
    if named := sorted(used.intersection(GIVABLE_PACKAGES)):
        yield message("staff.packages", modules=", ".join(named))
