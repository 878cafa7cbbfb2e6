"""What goes along with messages: what tests set, what a submission logs and warns of."""

from __future__ import annotations

import logging
import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.notices import Notices
from grader.plugins.own_tests.proxying.random_states import RandomStates
from grader.plugins.own_tests.proxying.settings_exchange import SettingsExchange


def told(along: SettingsExchange) -> dict[str, Any]:
    """Return what is told with the next message."""
    message: dict[str, Any] = {}
    along.add_to_message(message)
    return message


def logged(
    name: str,
    text: str,
    *,
    level: object = logging.INFO,
    arguments: Sequence[object] = (),
    errors: Sequence[object] = (),
) -> list[object]:
    """Return a log record as an executor tells it."""
    return [name, level, "a.py", 1, "save", text, "%s", [*arguments], [*errors]]


def test_only_what_a_test_has_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment that was there stays untold, and so does which test is run."""
    monkeypatch.setenv("BEFORE", "secret")
    along = SettingsExchange(sends_log_levels=False)
    assert {} == told(along)
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "test_secret")
    monkeypatch.setenv("NAME", "Kim")
    monkeypatch.delenv("BEFORE")
    assert {"environment": [["BEFORE", None], ["NAME", "Kim"]]} == told(along)
    assert {} == told(along)
    monkeypatch.delenv("NAME")
    assert {"environment": [["BEFORE", None], ["NAME", None]]} == told(along)
    along.restart()
    assert {"environment": [["BEFORE", None]]} == told(along)


def test_levels_are_told_to_who_logs() -> None:
    """A level that is set back is told, too."""
    along, logger = SettingsExchange(sends_log_levels=True), logging.getLogger("tests.along")
    assert ["", logging.root.level] in told(along)["levels"]
    logger.setLevel("INFO")
    assert ["tests.along", logging.INFO] in told(along)["levels"]
    logger.setLevel(logging.NOTSET)
    assert ["tests.along", logging.NOTSET] in told(along)["levels"]
    assert {} == told(along)


def test_a_level_of_the_submission_counts(caplog: pytest.LogCaptureFixture) -> None:
    """What it lets through itself is heard, unless a test has disabled logging."""
    message = {"logged": [logged("tests.own_level", "saved")]}
    SettingsExchange(sends_log_levels=True).apply_message(message, lambda each: each)
    assert ["saved"] == caplog.messages
    logging.disable(logging.INFO)
    try:
        SettingsExchange(sends_log_levels=True).apply_message(message, lambda each: each)
    finally:
        logging.disable(logging.NOTSET)
    assert ["saved"] == caplog.messages


def test_a_record_says_what_it_was_made_of(caplog: pytest.LogCaptureFixture) -> None:
    """Its arguments and its exception are those of the submission; its text is not made again."""
    error = ValueError("no")
    told = logged("tests.along", "100% of 3", arguments=["%d", 3], errors=[error])
    SettingsExchange(sends_log_levels=True).apply_message({"logged": [told]}, lambda each: each)
    (record,) = caplog.records
    assert ("100% of 3", "%s", ("%d", 3)) == (record.getMessage(), record.msg, record.args)
    assert record.exc_info is not None
    assert record.exc_info[:2] == (ValueError, error)


def test_a_record_may_be_made_of_a_dictionary(caplog: pytest.LogCaptureFixture) -> None:
    """For `%(a)s`; it is told as its pairs."""
    told = logged("tests.along", "1", arguments=[[["a", 1]]])
    SettingsExchange(sends_log_levels=True).apply_message({"logged": [told]}, lambda each: each)
    assert [{"a": 1}] == [each.args for each in caplog.records]


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("%s %s %s", ("a", 1, [2]), ["a", 1, "[2]"]),
        ("%(a)s", ({"a": 1, "b": [2], 3: 4},), [[["a", 1], ["b", "[2]"]]]),
        ("saved", (), []),
        ("%x", (10**5_000,), ["int"]),
    ],
)
def test_arguments_of_a_record_are_told(text: str, arguments: Any, expected: object) -> None:
    """Plain values as they are, others as their texts."""
    heard = Notices(frozenset())
    heard.emit(logging.LogRecord("name", logging.INFO, "a.py", 1, text, arguments, None))
    message: dict[str, Any] = {}
    heard.add_to(message, lambda each: each)
    assert expected == message["logged"][0][7]


def test_a_warning_about_who_calls_names_the_test() -> None:
    """With `stacklevel=2` the line of the test is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SettingsExchange(sends_log_levels=False).apply_message(
            {"warned": [[UserWarning("old"), "?", 0]]}, lambda each: each
        )
        SettingsExchange(sends_log_levels=False).apply_message(
            {"warned": [[UserWarning("old"), "a.py", 7]]}, lambda each: each
        )
    assert [__file__, "submission/a.py"] == [each.filename for each in caught]


def test_chance_is_told_whenever_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed twice is told twice; a life that begins is told what was set before."""
    for setter in ("seed", "setstate"):
        monkeypatch.setattr(random, setter, getattr(random, setter))
    chance = RandomStates()
    assert {} == chance.unsent_states()
    for _ in range(2):
        random.seed(7)
        state = random.getstate()
        assert {"random": state} == chance.unsent_states()
        assert {} == chance.unsent_states()
    random.random()
    assert {} == chance.unsent_states()
    chance.restart()
    assert {"random": random.getstate()} == chance.unsent_states()


def test_chance_of_numpy_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain values, from when numpy is there."""
    numpy = pytest.importorskip("numpy").random
    for setter in ("seed", "set_state"):
        monkeypatch.setattr(numpy, setter, getattr(numpy, setter))
    chance = RandomStates()
    numpy.seed(3)
    kind, words, *_ = chance.unsent_states()["numpy.random"]
    assert ("MT19937", 624) == (kind, len(words))
    monkeypatch.setattr(numpy, "get_state", lambda: {"bit_generator": "PCG64"})
    numpy.seed(3)
    assert {} == chance.unsent_states()


@pytest.mark.parametrize(
    "message",
    [
        {"logged": 1},
        {"logged": [logged("name", "text")[:-1]]},
        {"logged": [logged("name", "text", level="30")]},
        {"logged": [logged("name", "text", arguments=[[]])]},
        {"logged": [logged("name", "text", arguments=[[["a", []]]])]},
        {"logged": [logged("name", "text", arguments=[[[1, 2]]])]},
        {"logged": [logged("name", "text", errors=["oops"])]},
        {"warned": [["text", "file", 1]]},
        {"warned": [[1, "file"]]},
    ],
)
def test_what_no_executor_says_is_malformed(message: dict[str, Any]) -> None:
    """Records and warnings have one shape."""
    with pytest.raises(Malformed):
        SettingsExchange(sends_log_levels=True).apply_message(message, lambda each: each)
