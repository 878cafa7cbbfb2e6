"""Ensures that a run's folder has a single writer, and a journal that its file system supports.

SQLite's write-ahead log shares memory between processes, which works only on one machine. On a
network file system a store uses the older rollback journal, so nobody can read while a record is
being written.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from grader.errors import OutputError, UsageError
from grader.values.foreign_text import one_line

LOCK_NAME: Final = "run.lock"
MARK_NAME: Final = "accepted"
"""A file in the folder of a run that is to replace another run; it contains the name of the other
run's folder."""
_ESCAPE: Final = re.compile(rb"\\([0-7]{3})")
_MOUNT_TABLE: Final = Path("/proc/self/mountinfo")
_NETWORKED: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"}
    | {"nfs", "nfs4", "ocfs2", "smb3", "smbfs", "virtiofs"}
)


def journal_mode(folder: Path, mounts: Path = _MOUNT_TABLE) -> str:
    """Return SQLite's journal mode for a database in `folder`, given the table of `mounts`.

    If there is no such table, as on systems other than Linux, the file system is taken as local.
    """
    fs_type = _file_system_type(folder.resolve(), mounts)
    return "delete" if fs_type in _NETWORKED or fs_type.startswith("fuse.") else "wal"


def _file_system_type(folder: Path, mounts: Path) -> str:
    """Return the type of the file system that contains `folder`, or "" if it is unknown."""
    longest, fs_type = "", ""
    with suppress(OSError), mounts.open("rb") as lines:
        for line in lines:
            # proc(5): the mount point is the fifth field, with octal escapes; the type follows
            # the hyphen.
            mount_fields, _, type_fields = line.partition(b" - ")
            mount_point = os.fsdecode(
                _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), mount_fields.split()[4])
            )
            # Not `>`: a later mount at the same point hides the earlier one.
            if len(mount_point) >= len(longest) and folder.is_relative_to(mount_point):
                longest, fs_type = mount_point, os.fsdecode(type_fields.split()[0])
    return fs_type


def find_replacement(folder: Path) -> Path | None:
    """Return the folder, next to `folder`, of the run that was to replace the one in `folder`.

    Return None if `folder` exists, or if there is no such run.
    """
    if folder.exists():
        return None
    # Bytes, because the name of a folder need not be valid UTF-8.
    name = os.fsencode(folder.name)
    for mark in sorted(folder.resolve().parent.glob(f"*/{MARK_NAME}")):
        with suppress(OSError):  # another process can remove it, or nobody is allowed to read it
            if mark.read_bytes() == name:
                return mark.parent
    return None


def refuse_interrupted_replacement(folder: Path) -> None:
    """Raise `UsageError` if replacing the run in `folder` was interrupted."""
    if (new := find_replacement(folder)) is not None:
        name = one_line(str(folder))
        raise UsageError(
            f"the new run in {one_line(str(new))} was to replace {name}, but the renaming was"
            " interrupted",
            help=f"the new run is complete: `grader regrade {name} --accept` renames it to {name}",
        )


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold the lock on `folder` during the block, so that only this process writes to it.

    The system releases the lock however the process ends. Raises `OutputError` if another process
    holds it, or if the lock file cannot be opened or locked.
    """
    path = folder / LOCK_NAME
    try:
        # Append mode: truncating would erase the name of the writer that holds the lock.
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise OutputError(
            f"cannot open {one_line(str(path))}: {error.strerror}",
            help="check the disk and its permissions, or choose another folder with --out",
        ) from error
    with file:
        if not _try_lock(file):
            writer = _writer_name(file)
            raise OutputError(
                f"another grader is writing to {one_line(str(folder))}"
                + (f": {writer}" if writer else ""),
                help="wait until it is done, or choose another folder with --out",
            )
        with suppress(OSError):  # on a full disk the writer remains unnamed
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
        try:
            yield
        finally:
            # Without a name in the file, `writer_in` need not try the lock.
            with suppress(OSError):
                file.truncate(0)


def writer_in(folder: Path) -> str | None:
    """Return the name of the process that is writing to `folder`, or None if there is none.

    Returns "somebody" if the name cannot be read, as on Windows. Raises `OutputError` if the file
    system of `folder` supports no locks.
    """
    try:
        with (folder / LOCK_NAME).open("r+b", buffering=0) as file:
            # A writer that ended normally has erased its name. Only a remaining name makes us try
            # the lock, because trying it would block a writer which starts at the same time.
            writer = _writer_name(file)
            return writer if writer and not _try_lock(file) else None
    except FileNotFoundError:
        return None
    except OSError:  # on Windows nobody can read a locked file
        return "somebody"


def _writer_name(file: FileIO) -> str:
    """Return the name of the writer in the lock `file`, or "" if it contains none."""
    file.seek(0)
    return one_line((file.read(200) or b"").decode("utf-8", "replace"))


def _try_lock(file: FileIO) -> bool:
    """Lock `file` until it is closed; return False if another process holds the lock.

    Raises `OutputError` if the file system of `file` supports no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - only Windows has it

            # On Windows the lock starts at the current position.
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - only POSIX has it

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # PermissionError: Windows
        return False
    except OSError as error:
        raise OutputError(
            f"cannot lock {one_line(str(file.name))}: {error.strerror}",
            help="choose a folder on another file system with --out",
        ) from error
    return True
