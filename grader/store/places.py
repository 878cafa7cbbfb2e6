"""What a folder can bear: who writes in it, and which journal its file system allows.

SQLite's write-ahead log shares memory between processes, which works on one machine only. On a
file system of a network a store has the older journal, with which nobody can read while a record is
being written.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import RawIOBase
from pathlib import Path
from typing import Final

from grader.errors import OutputError, UsageError
from grader.values.foreign_text import one_line

LOCK_NAME: Final = "run.lock"
MARK_NAME: Final = "accepted"
"""A file in a run that is about to take the place of another: it has the name of that."""
_ESCAPE: Final = re.compile(rb"\\([0-7]{3})")
_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORKED: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"}
    | {"nfs", "nfs4", "ocfs2", "smb3", "smbfs", "virtiofs"}
)


def journal_for(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Return the journal mode for a database in `folder`, given the table of `mounts`.

    Where there is no such table, as on other systems than Linux, the disk counts as a local one.
    """
    kind = _file_system_of(folder.resolve(), mounts)
    return "delete" if kind in _NETWORKED or kind.startswith("fuse.") else "wal"


def _file_system_of(folder: Path, mounts: Path) -> str:
    """Return the kind of the file system at `folder`, "" if nobody tells."""
    best, kind = "", ""
    with suppress(OSError), mounts.open("rb") as lines:
        for line in lines:
            # proc(5): the mount point is the fifth field, the kind comes after a lone hyphen.
            before, _, after = line.partition(b" - ")
            point = os.fsdecode(
                _ESCAPE.sub(lambda found: bytes([int(found[1], 8)]), before.split()[4])
            )
            if len(point) >= len(best) and folder.is_relative_to(point):
                best, kind = point, os.fsdecode(after.split()[0])
    return kind


def takes_place_of(folder: Path) -> Path | None:
    """Return the run that was about to take the place of the one in `folder`, which is gone.

    It is looked for beside it.
    """
    if folder.exists():
        return None
    name = os.fsencode(folder.name)
    for mark in sorted(folder.resolve().parent.glob(f"*/{MARK_NAME}")):
        with suppress(OSError):
            if mark.read_bytes() == name:
                return mark.parent
    return None


def refuse_without_place(folder: Path) -> None:
    """Raise `UsageError` if a run was about to become the one in `folder`, and was cut off."""
    if (new := takes_place_of(folder)) is not None:
        shown = one_line(str(folder))
        raise UsageError(
            f"the new run in {one_line(str(new))} was about to become {shown}, and was cut off",
            help=f"it is whole: `grader regrade {shown} --accept` gives it the name",
        )


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold while this process is the one that writes in `folder`.

    The system lets go of it however the process ends. Raises `OutputError` when there is another.
    """
    path = folder / LOCK_NAME
    try:
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise OutputError(
            f"cannot open {one_line(str(path))}: {error.strerror}",
            help="see to the disk and its rights, or name another folder with --out",
        ) from error
    with file:
        if not _locked(file):
            who = _named(file) or "somebody"
            raise OutputError(
                f"another grader is at work in {one_line(str(folder))}: {who}",
                help="wait until it is done, or name another folder with --out",
            )
        with suppress(OSError):  # on a full disk nobody reads who it is
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
        try:
            yield
        finally:
            with suppress(OSError):
                file.truncate(0)


def writer_in(folder: Path) -> str | None:
    """Return who writes in `folder`, None if nobody does."""
    try:
        with (folder / LOCK_NAME).open("r+b", buffering=0) as file:
            # Who ended well has taken the name away. The lock is tried only where one is left: it
            # would keep a writer out who comes at that very moment.
            who = _named(file)
            return who if who and not _locked(file) else None
    except FileNotFoundError:
        return None
    except OSError:  # such as where Windows lets nobody read what is locked
        return "somebody"


def _named(file: RawIOBase) -> str:
    """Return the name of the writer in a locked `file`."""
    file.seek(0)
    return one_line((file.read(200) or b"").decode("utf-8", "replace"))


def _locked(file: RawIOBase) -> bool:
    """Lock `file` until it is closed; return False when somebody else has."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - only Windows has it

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - only POSIX has it

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise OutputError(
            f"files cannot be locked there: {error.strerror}", help="name another folder with --out"
        ) from error
    return True
