"""Runs the command line on a terminal, where there are any."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from command_line import COMMAND


def coloured(*args: str, **environment: str) -> str:
    """Return what the command line writes to a terminal."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, *COMMAND, *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        check=False,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    )
    os.close(theirs)
    text = b""
    try:
        while data := os.read(ours, 65536):
            text += data
    except OSError:  # the terminal's other end is closed
        pass
    os.close(ours)
    return text.decode()
