"""The project, installed where an ordinary user may read and run it.

A repository and its `.venv` may lie in a folder that only root may enter, or be made with an
interpreter that does. A judge that is to run as somebody else needs an installation of its own.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from grader.executor.lockdown import NOBODY

SYSTEM_PYTHON: Final = "/usr/bin/python3"
CAN_MAKE_VENV: Final = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"


@contextmanager
def installation(project: Path, run_folder: Path) -> Iterator[Path]:
    """Yield the interpreter of an installation that all processes of one test run share.

    The first one makes it, the last one removes it. They find each other in `run_folder`: who uses
    it holds a lock on one file, who makes or removes it on another, so that nobody who comes waits
    for those who already use it.
    """
    with open(run_folder / "installation", "a+", encoding="utf-8") as record:
        with _alone(run_folder):
            record.seek(0)
            folder = record.read()
            if not folder:
                folder = make(project)
                record.write(folder)
                record.flush()
            fcntl.flock(record, fcntl.LOCK_SH)
        yield interpreter_of(folder)
        with _alone(run_folder), suppress(BlockingIOError):  # somebody still uses it
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
            record.truncate(0)
            shutil.rmtree(folder)


@contextmanager
def _alone(run_folder: Path) -> Iterator[None]:
    """Keep out everybody else who would make or remove the installation."""
    with open(run_folder / "installing", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def can_install() -> bool:
    """Say whether this system's own Python is new enough and can make a venv."""
    if not os.access(SYSTEM_PYTHON, os.X_OK):
        return False
    tried = subprocess.run(
        [SYSTEM_PYTHON, "-I", "-c", CAN_MAKE_VENV], check=False, capture_output=True
    )
    return tried.returncode == 0


def make(project: Path) -> str:
    """Install the project in a fresh folder that everybody may read; return the folder."""
    folder = tempfile.mkdtemp(prefix="grader-installation-")
    try:
        os.chmod(folder, 0o755)
        run(SYSTEM_PYTHON, "-I", "-m", "venv", "--without-pip", folder)
        python = str(interpreter_of(folder))
        pip = (sys.executable, "-I", "-m", "pip", "--python", python)  # ours: it need not be copied
        run(*pip, "install", "--quiet", str(project))
        run(
            python,
            "-I",
            "-c",
            "import grader.cli.verbs",
            user=NOBODY if os.geteuid() == 0 else None,
        )
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder


def interpreter_of(folder: str) -> Path:
    """Return the interpreter of a venv."""
    return Path(folder) / "bin" / "python"


def run(*command: str, user: int | None = None) -> None:
    """Run a command, as another user if one is given; whatever it makes, everybody may read."""
    done = subprocess.run(
        command,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        umask=0o022,
        user=user,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
