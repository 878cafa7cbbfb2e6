"""What staff are told of packages that a suite does not name."""

from __future__ import annotations

import pytest
from builders import graded

from grader.judging.results import Result
from grader.judging.unnamed_packages import unnamed_packages
from grader.messages import Message, message
from grader.sandbox.zygote import Zygote
from grader.verdict import Status, Verdict

STOPPED = {"a": Result(verdict=Verdict.FORBIDDEN)}
WRONG = {"a": Result(verdict=Verdict.WRONG)}
IDLE = message("remark.absent", modules="numpy, pandas")
TOLD = [message("staff.packages", modules="numpy, pandas")]


@pytest.mark.parametrize(
    ("remark", "results", "told"),
    [
        (IDLE, STOPPED, TOLD),
        (IDLE, WRONG, []),
        (message("remark.absent", modules="requests"), STOPPED, []),
        (message("loading.not_allowed", module="numpy", file="f", line=1, text=""), {}, ["numpy"]),
        (message("loading.not_allowed", module="socket", file="f", line=1, text=""), {}, []),
        (message("remark.prints"), STOPPED, []),
    ],
)
def test_staff_read_of_what_is_used_and_could_be_named(
    remark: Message, results: dict[str, Result], told: list[Message | str]
) -> None:
    """Idle imports are nobody's business, and what no suite can name is no choice."""
    wanted = [message("staff.packages", modules=e) if isinstance(e, str) else e for e in told]
    assert list(unnamed_packages([remark], results)) == wanted


def test_a_program_that_cannot_be_loaded_without_one(zygote: Zygote) -> None:
    """It gets no points, the student reads why, and staff read what they may decide."""
    step = "{do: f(), returns: '1', group: g}"
    suite = f"groups:\n  - {{id: g, points: 1}}\nsessions:\n  - id: s\n    steps: [{step}]\n"
    record = graded(zygote, suite, "import numpy as np\nA = np.arange(3)\n")
    assert record.status is Status.UNGRADABLE
    assert [each.key for each in record.remarks] == ["loading.not_allowed"]
    assert record.staff_remarks == (message("staff.packages", modules="numpy"),)
