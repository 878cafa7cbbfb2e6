"""Executors that are lent to a process of tests which does not take them."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying import lent_executors
from grader.plugins.own_tests.proxying.lent_executors import LentExecutors


class _Process:
    """A process that was forked, with its end of a channel."""

    def __init__(self) -> None:
        self.channel, self.other = socket.socketpair()
        self.has_ended = False

    def end(self) -> None:
        """Close both ends."""
        self.channel.close()
        self.other.close()
        self.has_ended = True


class _Zygote:
    """Forks the processes, and knows them."""

    def __init__(self) -> None:
        self.forked: list[_Process] = []

    def fork_process(self, _limits: object) -> _Process:
        """Return a new process."""
        self.forked.append(_Process())
        return self.forked[-1]


def _lender(channel: socket.socket) -> tuple[_Zygote, LentExecutors]:
    sandbox: Any = _Zygote()
    return sandbox, LentExecutors(sandbox, {}, channel, lambda _: None)


def test_a_process_that_has_ended_gets_none() -> None:
    """What it asked for last is ended with the others, without a word: that it is gone is seen."""
    here, there = socket.socketpair()
    sandbox, executors = _lender(here)
    there.close()
    executors.lend({})
    executors.end_all()
    here.close()
    assert [True] == [process.has_ended for process in sandbox.forked]


def test_a_process_that_does_not_read_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks and asks, to make the grader wait."""
    monkeypatch.setattr(lent_executors, "REPLY_TIMEOUT_S", 0.01)
    here, there = socket.socketpair()
    here.settimeout(0.01)
    with pytest.raises(TimeoutError):
        here.sendall(b"x" * 10_000_000)
    _, executors = _lender(here)
    with pytest.raises(Malformed, match="does not read replies"):
        executors.lend({})
    executors.end_all()
    here.close()
    there.close()
