"""Namespaces: an empty view of the system, which the zygote enters once.

If a call with a path, a socket or a queue gets past the filter and Landlock, it finds nothing: the
root is an empty, read-only file system, the only network interface is a private loopback that is
down, and message queues, semaphores, shared memory, host name and control groups are private, too.
All executors of the zygote share that view, so it costs nothing per session.

Processes are not hidden: the judge reads clocks and kills by pid, so pids must be the same on both
sides. The filter refuses every call with the pid of another process.

An instructor's tests also get a root of their own. It contains their files, read-only, and a folder
in memory, of bounded size, to write to.

An ordinary user needs a user namespace for this, which many hosts forbid: containers, and
distributions whose security module removes the privileges in it. So no other layer depends on it.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from grader.executor import kernel

_USER: Final = 0x10000000
_OTHER_NAMESPACES: Final = (
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
_MS_RECURSIVE: Final = 16384
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY_NOSUID: Final = 1 | 2  # MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID
_MAX_LINKS: Final = 40  # as many as the kernel follows
_MS_PRIVATE_EVERYWHERE: Final = 1 << 18 | 1 << 14  # MS_PRIVATE | MS_REC
_MNT_DETACH: Final = 2
_MOUNT_POINT: Final = b"/proc"
"""Any existing folder would do. This one exists wherever a user namespace can be set up."""
_chdir: Final = os.chdir  # bound now, because `os` is later patched for virtual files
_listdir: Final = os.listdir


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsRoom:
    """The files that the process of an instructor's tests can see, at the same paths as outside."""

    readable: Sequence[str]
    """Existing folders and files that are visible, read-only."""
    listed: Sequence[str]
    """Folders that exist in the room, but with nothing in them except `readable` paths."""
    writable: str
    """An existing folder to write to; its contents are lost when the process ends."""
    folder: str
    """The folder that becomes the current one; it is empty if nothing in it is readable."""
    most_bytes: int
    most_files: int
    owner: int | None
    """The uid that the writable folder gets as its owner, or None for the current user."""


def enter(*, through_user_namespace: bool, room: TestsRoom | None = None) -> bool:
    """Enter fresh namespaces with an empty root, or with this `room`; return whether that worked.

    If it fails halfway, the process sees no more than before, so it can continue without this
    layer. The process must have one thread, and must already have opened all files that it needs.
    """
    try:
        if through_user_namespace:
            _enter_user_namespace()
        else:
            kernel.call("unshare", _OTHER_NAMESPACES)
        _replace_root(room)
    except OSError:
        return False
    # A host might accept these calls without replacing the root. Without a room, an empty root
    # shows that it was replaced; with a room, that is not checked.
    return room is not None or not _listdir("/")


def _enter_user_namespace() -> None:
    """Enter a user namespace, which gives privileges in the other namespaces, and enter those.

    Uid and gid stay the same.
    """
    uid, gid = os.getuid(), os.getgid()
    kernel.call("prctl", _PR_SET_DUMPABLE, 1)  # otherwise the /proc files below belong to root
    kernel.call("unshare", _USER | _OTHER_NAMESPACES)
    for name, text in (
        ("setgroups", "deny"),  # else the kernel refuses the `gid_map` of an ordinary user
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)


def _replace_root(room: TestsRoom | None) -> None:
    """Make a read-only file system the root, unmount the old root, and change the folder to /.

    The new root is empty except for the `room`.
    """
    read_only = _MS_RDONLY | _MS_NOSUID_NODEV_NOEXEC
    size = b"size=4k,nr_inodes=2,mode=0555" if room is None else b"size=4m,mode=0755"
    _mount(b"/", _MS_PRIVATE_EVERYWHERE)  # our mounts must not be visible outside
    _mount(_MOUNT_POINT, _MS_NOSUID_NODEV_NOEXEC, size)
    if room is not None:
        _mount_room(room)
    _chdir(_MOUNT_POINT)
    # Read-only only now, after everything is mounted. With MS_BIND the flags apply to this mount,
    # not to the whole file system.
    _mount(b".", _MS_REMOUNT | _MS_BIND | read_only)
    with _c_strings(b".") as (folder,):
        kernel.call("pivot_root", folder, folder)  # the old root now lies on top of the new one
        kernel.call("umount2", folder, _MNT_DETACH)
    _chdir("/")


def _mount_room(room: TestsRoom) -> None:
    """Mount the files and folders of `room` below the mount point."""
    real_paths: list[str] = []
    for path in sorted(room.readable):  # in this order, folders come before their contents
        real = _recreate_links(path)
        # A folder is mounted with its contents, so these need no mounts of their own.
        if not any(real == parent or real.startswith(f"{parent}/") for parent in real_paths):
            real_paths.append(real)
    for path in real_paths:
        _bind_mount(path)
    for folder in (*room.listed, room.folder):
        os.makedirs(_mounted_path(_recreate_links(folder)), exist_ok=True)
    real = _recreate_links(room.writable)
    mounted = _mounted_path(real)
    os.makedirs(mounted, exist_ok=True)
    options = f"size={room.most_bytes},nr_inodes={room.most_files},mode=0700"
    if room.owner is not None:
        options += f",uid={room.owner},gid={room.owner}"
    _mount(mounted.encode(), _MS_NOSUID_NODEV_NOEXEC, options.encode())


def _mounted_path(path: str) -> str:
    return _MOUNT_POINT.decode() + path


def _recreate_links(path: str) -> str:
    """Recreate the symbolic links in `path` below the mount point; return the resolved path.

    Return an empty string if the path has too many links.
    """
    parts, current, links = path.split("/")[1:], "", 0
    while parts:
        current += f"/{parts.pop(0)}"
        if os.path.islink(current):
            links += 1
            if links > _MAX_LINKS:
                return ""
            target = os.readlink(current)
            mounted = _mounted_path(current)
            if not os.path.lexists(mounted):
                os.makedirs(os.path.dirname(mounted), exist_ok=True)
                os.symlink(target, mounted)
            folder = os.path.dirname(current)
            parts = os.path.normpath(os.path.join(folder, target)).split("/")[1:] + parts
            current = ""
    return current


def _bind_mount(path: str) -> None:
    """Mount the existing file or folder `path` read-only at the same path below the mount point."""
    mounted = _mounted_path(path)
    if os.path.isdir(path):
        os.makedirs(mounted, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(mounted), exist_ok=True)
        # A file can only be mounted on an existing file.
        os.close(os.open(mounted, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    with _c_strings(
        path.encode(), mounted.encode(), struct.pack("=4Q", _ATTR_RDONLY_NOSUID, 0, 0, 0)
    ) as (
        source,
        target,
        attributes,
    ):
        kernel.call("mount", source, target, 0, _MS_BIND | _MS_RECURSIVE, 0)  # ignores MS_RDONLY
        # This call also covers nested mounts; 32 is the size of `struct mount_attr`.
        kernel.call("mount_setattr", _AT_FDCWD, target, _AT_RECURSIVE, attributes, 32)


def _mount(target: bytes, flags: int, options: bytes = b"") -> None:
    """Mount a new tmpfs at `target`, or remount or change the mount there, depending on `flags`."""
    with _c_strings(b"tmpfs", target, options) as (kind, address, data):
        kernel.call("mount", kind, address, kind, flags, data)


@contextmanager
def _c_strings(*texts: bytes) -> Iterator[list[int]]:
    """Yield the addresses of `texts` as C strings, which are valid inside the `with` block."""
    buffers = [ctypes.create_string_buffer(text) for text in texts]
    yield [ctypes.addressof(buffer) for buffer in buffers]
