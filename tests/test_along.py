"""What goes along with messages: what tests set, what a submission logs and warns of."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from grader.bridge.wire import Malformed
from grader.proxying.along import Along


def told(along: Along) -> dict[str, Any]:
    """Return what is told with the next message."""
    message: dict[str, Any] = {}
    along.leave(message)
    return message


def test_only_what_a_test_has_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment that was there stays untold, and so does which test is run."""
    monkeypatch.setenv("BEFORE", "secret")
    along = Along(logs=False)
    assert {} == told(along)
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "test_secret")
    monkeypatch.setenv("NAME", "Kim")
    monkeypatch.delenv("BEFORE")
    assert {"environment": [["BEFORE", None], ["NAME", "Kim"]]} == told(along)
    assert {} == told(along)
    monkeypatch.delenv("NAME")
    assert {"environment": [["BEFORE", None], ["NAME", None]]} == told(along)
    along.begin_anew()
    assert {"environment": [["BEFORE", None]]} == told(along)


def test_levels_are_told_to_who_logs() -> None:
    """A level that is set back is told, too."""
    along, logger = Along(logs=True), logging.getLogger("tests.along")
    assert ["", logging.root.level] in told(along)["levels"]
    logger.setLevel("INFO")
    assert ["tests.along", logging.INFO] in told(along)["levels"]
    logger.setLevel(logging.NOTSET)
    assert ["tests.along", logging.NOTSET] in told(along)["levels"]
    assert {} == told(along)


def test_a_level_of_the_submission_counts(caplog: pytest.LogCaptureFixture) -> None:
    """What it lets through itself is heard, unless a test has disabled logging."""
    message = {"logged": [["tests.own_level", logging.INFO, "saved", "a.py", 1, "save"]]}
    Along(logs=True).enter(message, lambda each: each)
    assert ["saved"] == caplog.messages
    logging.disable(logging.INFO)
    try:
        Along(logs=True).enter(message, lambda each: each)
    finally:
        logging.disable(logging.NOTSET)
    assert ["saved"] == caplog.messages


@pytest.mark.parametrize(
    "message",
    [
        {"logged": 1},
        {"logged": [["name", 30, "text", "file", 1]]},
        {"logged": [["name", "30", "text", "file", 1, "f"]]},
        {"warned": [["text", "file", 1]]},
        {"warned": [[1, "file"]]},
    ],
)
def test_what_no_executor_says_is_malformed(message: dict[str, Any]) -> None:
    """Records and warnings have one shape."""
    with pytest.raises(Malformed):
        Along(logs=True).enter(message, lambda each: each)
