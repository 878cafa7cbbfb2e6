"""Namespaces: a view of the system in which there is nothing to see, entered once, by the zygote.

Should a path, a socket or a queue get past the filter and Landlock, it leads nowhere: the root is
an empty, read-only file system, the only network interface is a loopback of its own that is down,
and messages, semaphores, shared memory, host name and control groups are those of nobody else. All
executors of the zygote share that view, so a session pays nothing for it.

Processes are not hidden: the judge reads clocks and kills by pid, so the numbers must be the same
on both sides, and the filter refuses every call that takes the pid of another.

An ordinary user gets there through a user namespace, which many hosts forbid: containers, and
distributions whose security module takes the privileges in it away again. Nothing depends on it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from grader.executor import kernel

_USER: Final = 0x10000000
_ALL_OTHERS: Final = (
    0x00020000  # mounts
    | 0x02000000  # control groups
    | 0x04000000  # host name
    | 0x08000000  # System V and POSIX queues, semaphores, shared memory
    | 0x40000000  # network
)
_PR_SET_DUMPABLE: Final = 4
_MS_RDONLY: Final = 1
_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_MS_REMOUNT: Final = 32
_MS_BIND: Final = 4096
_MS_PRIVATE_EVERYWHERE: Final = 1 << 18 | 1 << 14
_MNT_DETACH: Final = 2
_MOUNT_POINT: Final = b"/proc"
"""Any folder will do; this one is there on every host where a user namespace can be set up."""
_chdir: Final = os.chdir  # bound now: what submissions find in `os` later knows virtual files only
_listdir: Final = os.listdir


def enter(*, through_user_namespace: bool) -> bool:
    """Enter fresh namespaces with an empty root; say whether that worked.

    Where it stops halfway the process sees less than before, or the same, and never more: it may
    go on without this layer. It needs a process with one thread, that holds open all it needs.
    """
    try:
        if through_user_namespace:
            _enter_user_namespace()
        else:
            kernel.call("unshare", _ALL_OTHERS)
        _leave_the_file_system()
    except OSError:
        return False
    return not _listdir("/")


def _enter_user_namespace() -> None:
    """Get, in namespaces of our own, the privileges to set them up; our ids stay as they are."""
    uid, gid = os.getuid(), os.getgid()
    kernel.call("prctl", _PR_SET_DUMPABLE, 1)  # else the files below belong to root
    kernel.call("unshare", _USER | _ALL_OTHERS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)


def _leave_the_file_system() -> None:
    """Make an empty, read-only file system the root, and let go of the one that was."""
    read_only = _MS_RDONLY | _MS_NOSUID_NODEV_NOEXEC
    _mount(b"/", _MS_PRIVATE_EVERYWHERE)  # no mount of ours shows outside
    _mount(_MOUNT_POINT, _MS_NOSUID_NODEV_NOEXEC, b"size=4k,nr_inodes=2,mode=0555")
    _chdir(_MOUNT_POINT)
    _mount(b".", _MS_REMOUNT | _MS_BIND | read_only)
    with _texts(b".") as (here,):
        kernel.call("pivot_root", here, here)  # the old root now lies on top of the new one
        kernel.call("umount2", here, _MNT_DETACH)
    _chdir("/")


def _mount(target: bytes, flags: int, options: bytes = b"") -> None:
    with _texts(b"tmpfs", target, options) as (kind, where, what):
        kernel.call("mount", kind, where, kind, flags, what)


@contextmanager
def _texts(*texts: bytes) -> Iterator[list[int]]:
    """Yield the addresses of `texts` as C has them, alive for as long as the block runs."""
    buffers = [ctypes.create_string_buffer(text) for text in texts]
    yield [ctypes.addressof(buffer) for buffer in buffers]
