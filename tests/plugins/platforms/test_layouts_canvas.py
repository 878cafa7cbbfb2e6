"""Downloads of Canvas: handles, late ones, files of one name that came again."""

from __future__ import annotations

import pytest
from named_sources import attempts, found, source


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            ["peetersann_12345_987654_yinyang.py"],
            [("-, id=12345", "yinyang.py #1 in time")],
            id="one file",
        ),
        pytest.param(
            ["submissions/obrienmüller_LATE_12_98_yin_yang.py"],
            [("-, id=12", "yin_yang.py #1 late")],
            id="late, in a folder, with an accent",
        ),
        pytest.param(
            ["maesjan_7_100_Board.py", "maesjan_7_101_Game.py", "maesjan_8_102_Game.py"],
            [("-, id=7", "Board.py, Game.py #1 in time"), ("-, id=8", "Game.py #1 in time")],
            id="several files, and another student whose handle is the same",
        ),
        pytest.param(
            ["maesjan_7_100_Board-2.py", "maesjan_7_101_Game-2.py"],
            [("-, id=7", "Board.py, Game.py #3 in time")],
            id="the third time, of which the others are not in the download",
        ),
        pytest.param(
            ["maesjan_7_100_yinyang.py", "maesjan_LATE_7_205_yinyang-1.py"],
            [("-, id=7", "yinyang.py #1 in time"), ("-, id=7", "yinyang.py #2 late")],
            id="once more, late",
        ),
        pytest.param(
            [
                "maesjan_7_100_a.py",
                "maesjan_7_90_b.py",
                "maesjan_7_205_a-1.py",
                "maesjan_7_206_c.py",
            ],
            [("-, id=7", "b.py, a.py #1 in time"), ("-, id=7", "a.py, c.py #2 in time")],
            id="ids tell what came with what",
        ),
        pytest.param(
            ["maesjan_7_100_work/yinyang.py", "maesjan_7_100_work/hulp.py"],
            [("-, id=7", "hulp.py, yinyang.py #1 in time")],
            id="an archive",
        ),
        pytest.param(
            ["maesjan_7_text.html"], [("-, id=7", "text.html #1 in time")], id="typed text"
        ),
        pytest.param(
            ["anonymous_5Xk2q_100_a.py", "anonymous_LATE_9fTbb_101_a.py"],
            [("-, id=5Xk2q", "a.py #1 in time"), ("-, id=9fTbb", "a.py #1 late")],
            id="anonymous",
        ),
        pytest.param(
            ["LATE_anon_9bTzL_502_a.py", "lateann_late_LATE_14_504_a.py"],
            [("-, id=9bTzL", "a.py #1 late"), ("-, id=14", "a.py #1 late")],
            id="anonymous in short, and somebody called late",
        ),
    ],
)
def test_names_tell_id_and_lateness(names: list[str], expected: list[tuple[str, str]]) -> None:
    """The letters before the ids are no name that can be shown to anybody."""
    recognition = found(source(*names))
    assert "canvas" == recognition.layout
    assert expected == attempts(recognition)


def test_a_handle_is_kept() -> None:
    """It is what a label is made of, where nothing else is known."""
    (attempt,) = found(source("peetersann_1_2_a.py")).attempts
    assert "peetersann" == attempt.person.handle
