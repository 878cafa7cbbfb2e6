"""The process in which an instructor's tests run: it locks itself, and then runs pytest."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from grader.plugins.own_tests.proxying.borrowed import BorrowedSandbox, Lender
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.store.graded import unpack_hand_in


def main(fd: int, lock: Callable[[dict[str, Any], dict[str, Any]], Any]) -> None:
    """Receive a job over the socket `fd`, lock this process with `lock`, and run the job.

    Does not return: the process exits once it has reported its results.
    """
    lender = Lender(socket.socket(fileno=fd))
    start, _ = lender.receive()
    layers = lock(start["room"], {**start["bounds"], "keep_fd": fd})
    lender.send(locked=layers.to_json())
    # From here on, this process is not trusted: pytest, plug-ins and tests load behind the wall.
    from grader.plugins.own_tests.under_pytest.run import run_tests  # noqa: PLC0415

    hand_in = unpack_hand_in(bytes.fromhex(start["hand_in"]), start["student"])
    settings = OwnSettings.from_json(start["own"])
    exit_code = run_tests(settings, hand_in, BorrowedSandbox(lender), lender.send, start["known"])
    sys.stdout.flush()  # `os._exit` below does not
    sys.stderr.flush()
    lender.send(finished=exit_code)
    os._exit(0)  # an ordinary exit would wait for threads that tests have started
