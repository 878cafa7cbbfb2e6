"""Runs the command line in tests, in this process or in another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from grader.cli.verbs import main

COMMAND: Final = ("-c", "from grader.cli.verbs import main; main()")
SUITE: Final = """\
exercise: {name}
title: A title
language: en
module: {name}
defines: [{defines}]
groups: [{{id: g, points: 2}}]
sessions:
  - id: example
    steps:
      - {{do: {call}, returns: "4", group: g}}
"""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
WRONG: Final = "def double(x):\n    return x\n"


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def grader(capfd: pytest.CaptureFixture[str], *args: str) -> Done:
    """Run the command line in this process."""
    argv, sys.argv = sys.argv, ["grader", *args]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = argv
    return Done(code, *capfd.readouterr())


def process(
    *args: str, user: int | None = None, python: str = sys.executable, **environment: str
) -> Done:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [python, *COMMAND, *args],
        capture_output=True,
        text=True,
        user=user,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def write(name: str, text: str) -> str:
    """Write `text` to the file `name`, folders included; return the name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name
