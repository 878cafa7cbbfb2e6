"""The folder that a process of tests writes in, as whoever waits for it has it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from tempfile import mkdtemp
from typing import Final

MOST_FILE_BYTES: Final = 64 << 20
MOST_FILES: Final = 4_096
"""Of what tests write, in all."""
_NOBODY: Final = 65534
_BLOCK_BYTES: Final = 512


class WrittenFolder:
    """A folder that is there for one process; in a room it is a file system in memory there."""

    def __init__(self) -> None:
        """Make it, for whom the process will be."""
        self.path: Final = mkdtemp(prefix="grader-tests-")
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self.owner: Final = _NOBODY if is_root else None
        """Whose it is, where that is another user."""
        if self.owner is not None:
            os.chown(self.path, self.owner, self.owner)

    def is_full(self) -> bool:
        """Return whether there is more in it than may be, where no file system bounds it."""
        size, count, waiting = 0, 0, [self.path]
        while waiting and count <= MOST_FILES and size <= MOST_FILE_BYTES:
            with suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += _BLOCK_BYTES * entry.stat(follow_symlinks=False).st_blocks
        return count > MOST_FILES or size > MOST_FILE_BYTES

    def remove(self) -> None:
        """Remove it, whatever the process has made of the modes of what is in it."""
        for place, folders, _ in os.walk(self.path):
            for each in (place, *(os.path.join(place, name) for name in folders)):
                if not os.path.islink(each):
                    with suppress(OSError):
                        os.chmod(each, 0o700)
        shutil.rmtree(self.path, ignore_errors=True)
