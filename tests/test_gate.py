"""The gate that the workers of a machine share: beside each other, or one alone."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from grader.sandbox import gate as gates
from grader.sandbox.gate import Gate, machine_gate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such locks")


def gate(folder: Path) -> Gate:
    """Return one of the gates in `folder`, as another worker has it."""
    return gates.LockedGate(folder)


def test_one_that_is_alone_waits_for_the_others(tmp_path: Path) -> None:
    """Who runs beside others is let go first, and who comes later waits."""
    log: list[str] = []
    one, other, late = (gate(tmp_path) for _ in range(3))

    def alone() -> None:
        with other.alone():
            log.append("alone")
            time.sleep(0.05)
            log.append("no more")

    def comes_late() -> None:
        with late.shared():
            log.append("late")

    with one.shared(), gate(tmp_path).shared():
        first = threading.Thread(target=alone)
        first.start()
        time.sleep(0.05)
        second = threading.Thread(target=comes_late)
        second.start()
        time.sleep(0.05)
        log.append("shared")
    first.join(10)
    second.join(10)
    assert ["shared", "alone", "no more", "late"] == log


def test_who_sleeps_on_the_gate_stops_nobody_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was put to sleep with a Ctrl-Z holds its locks; others go on after a while."""
    monkeypatch.setattr(gates, "PATIENCE_S", 0.05)
    with gate(tmp_path).alone():
        with gate(tmp_path).shared():
            pass
        with gate(tmp_path).alone():
            pass


def test_who_sleeps_on_the_gate_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sleeper costs a run one wait, not one before each session; awake, he counts again."""
    pauses: list[float] = []
    monkeypatch.setattr(gates, "PATIENCE_S", 0.05)
    monkeypatch.setattr("time.sleep", pauses.append)
    here = gate(tmp_path)
    with gate(tmp_path).alone():
        with here.shared():
            waited = len(pauses)
        with here.shared():
            pass
    assert 0 < waited == len(pauses)
    with here.shared():
        pass
    with gate(tmp_path).alone(), here.shared():
        pass
    assert waited < len(pauses)


def test_a_place_that_is_not_ours_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others could hold the gate, a link or rights for all, each has one of its own."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert isinstance(machine_gate(), gates.LockedGate)
    (folder,) = tmp_path.iterdir()
    folder.chmod(0o777)
    assert not isinstance(machine_gate(), gates.LockedGate)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert not isinstance(machine_gate(), gates.LockedGate)
