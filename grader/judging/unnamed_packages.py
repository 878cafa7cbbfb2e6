"""Reports packages to staff that a submission uses and its suite could allow, but does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judging.results import Results
from grader.messages import Message, message
from grader.suite.vocabulary import GIVABLE_PACKAGES
from grader.verdict import Verdict


def unnamed_packages(remarks: Sequence[Message], results: Results) -> Iterator[Message]:
    """Yield a remark for staff about packages that the student's `remarks` report as missing.

    Staff decide whether a course allows a package: a program that needs one may be right.
    """
    is_stopped = any(each.verdict is Verdict.FORBIDDEN for each in results.values())
    used: set[str] = set()
    for remark in remarks:
        parameters = dict(remark.parameters)
        if remark.key == "loading.not_allowed":
            used.add(str(parameters["module"]))
        elif remark.key == "remark.absent" and is_stopped:
            used.update(str(parameters["modules"]).split(", "))
    if named := sorted(used.intersection(GIVABLE_PACKAGES)):
        yield message("staff.packages", modules=", ".join(named))
