"""The folder that a process of tests writes in, seen from outside."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final

MAX_FILE_BYTES: Final = 64 << 20
MAX_FILES: Final = 4_096
"""Limits on all files that tests write."""
_PREFIX: Final = "grader-tests-"
_LONG_S: Final = 60.0
"""Longer than any grader takes from making a folder to locking it."""
_NOBODY: Final = 65534
_BLOCK_BYTES: Final = 512  # the unit of `st_blocks`


class WrittenFolder:
    """The folder of one process; in a room, an in-memory file system is mounted over it."""

    def __init__(self) -> None:
        """Make it for the user of the process; remove folders that a killed grader has left."""
        _remove_left()
        self.path: Final = mkdtemp(prefix=_PREFIX)
        self._lock: Final = os.open(self.path, os.O_RDONLY)
        _try_lock(self._lock)  # other graders remove those that nobody has locked
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self.owner: Final = _NOBODY if is_root else None
        """The owner, if that is another user."""
        if self.owner is not None:
            os.chown(self.path, self.owner, self.owner)

    def is_full(self) -> bool:
        """Return whether its content exceeds the limits, if no file system enforces them."""
        size, count, waiting = 0, 0, [self.path]
        while waiting and count <= MAX_FILES and size <= MAX_FILE_BYTES:
            # Tests change it meanwhile.
            with suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        # A sparse file may claim any size.
                        size += _BLOCK_BYTES * entry.stat(follow_symlinks=False).st_blocks
        return count > MAX_FILES or size > MAX_FILE_BYTES

    def remove(self) -> None:
        """Remove it, whatever modes the process has set in it."""
        _remove(self.path)
        os.close(self._lock)


def _remove(path: str | Path) -> None:
    for place, folders, _ in os.walk(path):
        for each in (place, *(os.path.join(place, name) for name in folders)):
            if not os.path.islink(each):
                with suppress(OSError):
                    os.chmod(each, 0o700)
    shutil.rmtree(path, ignore_errors=True)


def _remove_left() -> None:
    """Remove unlocked folders of this user, and of the user that its tests run as."""
    for path in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = path.lstat()
            if found.st_uid in _own_users() and time.time() - found.st_mtime > _LONG_S:
                # Anybody may have put a link of such a name there.
                fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    if _try_lock(fd):
                        _remove(path)
                finally:
                    os.close(fd)


def _own_users() -> set[int]:
    return {os.geteuid(), _NOBODY} if os.geteuid() == 0 else {os.geteuid()}


def _try_lock(fd: int) -> bool:
    """Try to lock a folder until it is closed or this process ends; return whether that worked."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
