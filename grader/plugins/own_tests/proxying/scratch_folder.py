"""The folder in which a process of tests writes, as seen from outside that process."""

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
"""Limits on the total size and the number of the files that tests write."""
_PREFIX: Final = "grader-tests-"
_MIN_AGE_S: Final = 60.0
"""Longer than any grader takes from creating a folder to locking it."""
_NOBODY: Final = 65534  # the user id that the process takes when the grader runs as root
_BLOCK_BYTES: Final = 512  # the unit of `st_blocks`


class ScratchFolder:
    """The folder of one process of tests.

    If the process has a room of its own, an in-memory file system is mounted over the folder.
    """

    def __init__(self) -> None:
        """Create the folder for the user of the process.

        First remove the folders that killed graders have left behind.
        """
        _remove_abandoned()
        self.path: Final = mkdtemp(prefix=_PREFIX)
        self._lock: Final = os.open(self.path, os.O_RDONLY)
        _try_lock(self._lock)  # other graders remove folders that are not locked
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self.owner: Final = _NOBODY if is_root else None
        """The user who owns the folder, or None if that is the user who runs the grader."""
        if self.owner is not None:
            os.chown(self.path, self.owner, self.owner)

    def is_full(self) -> bool:
        """Return whether the content exceeds the limits.

        This check is only needed if the process has no file system of its own with these limits.
        """
        size, count, pending = 0, 0, [self.path]
        while pending and count <= MAX_FILES and size <= MAX_FILE_BYTES:
            # Tests can change the content meanwhile, so files and folders can disappear.
            with suppress(OSError), os.scandir(pending.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        # Count blocks, as a sparse file can have any nominal size.
                        size += _BLOCK_BYTES * entry.stat(follow_symlinks=False).st_blocks
        return count > MAX_FILES or size > MAX_FILE_BYTES

    def remove(self) -> None:
        """Remove the folder, whatever file modes the process has set in it."""
        _remove(self.path)
        os.close(self._lock)


def _remove(path: str | Path) -> None:
    """Remove a folder as far as possible, even if folders in it lack permissions."""
    for parent, folders, _ in os.walk(path):
        for folder in (parent, *(os.path.join(parent, name) for name in folders)):
            if not os.path.islink(folder):  # `chmod` would change what the link leads to
                with suppress(OSError):
                    os.chmod(folder, 0o700)
    shutil.rmtree(path, ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove unlocked folders of this user, and of the user who runs its tests.

    Recent folders are left alone, as their grader may not have locked them yet.
    """
    for path in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            status = path.lstat()
            if status.st_uid in _user_ids() and time.time() - status.st_mtime > _MIN_AGE_S:
                # Any user can put a link with such a name into the temporary folder.
                fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    if _try_lock(fd):
                        _remove(path)
                finally:
                    os.close(fd)


def _user_ids() -> set[int]:
    """Return the ids of the users whose folders this process can remove."""
    return {os.geteuid(), _NOBODY} if os.geteuid() == 0 else {os.geteuid()}


def _try_lock(fd: int) -> bool:
    """Try to lock the folder opened as `fd`; return whether that worked.

    The lock lasts until `fd` is closed, or this process ends.
    """
    import fcntl  # noqa: PLC0415 - only POSIX has it

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
