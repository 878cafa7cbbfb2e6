"""What an audit keeps of its units, and how it is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.plugins.authoring.auditing.audit_cache import AuditCache, AuditWork, Results, unit_key
from grader.suite.cache import OFF_VARIABLE


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Notes are kept below a folder of their own."""
    monkeypatch.delenv(OFF_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def work(done: list[str], ends_at: str = "") -> AuditWork:
    """Return work of three units that notes in `done` what was done, up to a Ctrl-C."""

    def do(units: Sequence[str]) -> Results:
        for unit in units:
            if unit == ends_at:
                raise KeyboardInterrupt
            done.append(unit)
            yield unit, unit.upper()

    return AuditWork(part=None, name="letters", units=["a", "b", "c"], do=do)


def test_each_unit_is_done_once() -> None:
    """Another audit of the same takes what is known, one of something else does not."""
    done: list[str] = []
    assert AuditCache(("suite",)).complete(work(done))
    again = AuditCache(("suite",))
    assert again.complete(work(done))
    assert ["a", "b", "c"] == done
    assert ["A", "B", "C"] == [again[unit] for unit in "abc"]
    assert AuditCache(("another",)).complete(work(done))
    assert ["a", "b", "c"] * 2 == done


def test_ctrl_c_loses_nothing_that_was_done() -> None:
    """What is left is told, nothing else is begun, and the next audit goes on there."""
    done: list[str] = []
    notes = AuditCache(("suite",))
    assert not notes.complete(work(done, ends_at="b"))
    assert {"letters": (1, 3)} == notes.unfinished([work(done)])
    assert not notes.complete(work(done))
    assert ["a"] == done
    assert AuditCache(("suite",)).complete(work(done))
    assert ["a", "b", "c"] == done


def test_time_that_is_over_lets_a_unit_end() -> None:
    """There is always one more known than before: to call it again and again comes to an end."""
    done: list[str] = []
    for known in (["a"], ["a", "b"], ["a", "b", "c"]):
        AuditCache(("suite",), within_s=0).complete(work(done))
        assert known == done


def test_a_unit_is_known_by_its_program() -> None:
    """The order of modules does not matter, and what is done with them does."""
    one, other = {"a": "1", "b": "2"}, {"b": "2", "a": "1"}
    assert unit_key("grade", one) == unit_key("grade", other)
    assert unit_key("grade", one) != unit_key("try", one)
    assert unit_key("grade", one) != unit_key("grade", {"a": "1"})
