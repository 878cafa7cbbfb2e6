"""Reports to staff which packages a submission uses that its suite could allow but does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judging.results import Results
from grader.messages import Message, message
from grader.suite.vocabulary import GIVABLE_PACKAGES
from grader.verdict import Verdict


def unnamed_packages(remarks: Sequence[Message], results: Results) -> Iterator[Message]:
    """Yield a remark for staff about packages that the suite could allow but does not, if any.

    `remarks` tell the student which packages were not available. A program that needs one of them
    might be right, and staff can allow the package.
    """
    # If no case is FORBIDDEN, the absent packages were imported but never used.
    is_forbidden = any(result.verdict is Verdict.FORBIDDEN for result in results.values())
    used: set[str] = set()
    for remark in remarks:
        parameters = dict(remark.parameters)
        if remark.key == "loading.not_allowed":
            used.add(str(parameters["module"]))
        elif remark.key == "remark.absent" and is_forbidden:
            used.update(str(parameters["modules"]).split(", "))
    if allowable := sorted(used.intersection(GIVABLE_PACKAGES)):
        yield message("staff.packages", modules=", ".join(allowable))
