"""Landlock: a domain from which no file, network or outside process can be reached.

It is the second wall. If a call with a path, a socket or a signal gets past the seccomp filter, the
kernel's file and network code still refuses it, whatever the system call. Landlock needs no
privileges. A process that enters a domain cannot leave it, and its children inherit it.

A *ruleset* lists the rights that it handles; handled rights are refused unless a rule allows them.
The ruleset of executors has no rules. It is built once, in the zygote, and an executor only has to
enter it. The ruleset of an instructor's tests allows them to read their own files, and to write in
one folder. Each ABI version added rights, and a kernel refuses rulesets with rights that it does
not support. From ABI 6 on the domain also blocks signals and abstract sockets to the outside. No
version covers metadata (`stat`, `access`, `readlink`, `chdir`), so Landlock is only the second
wall.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

from grader.executor import kernel

_VERSION_FLAG: Final = 1  # LANDLOCK_CREATE_RULESET_VERSION

_FILE_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights, from bit 0 on, each ABI supports. ABI 2 added renames and links across
directories, ABI 3 truncation, ABI 5 device ioctls."""
_NEWEST_KNOWN_ABI: Final = max(_FILE_RIGHTS_BY_ABI)
_FIRST_WITH_NETWORK: Final = 4
_BIND_AND_CONNECT_TCP: Final = 0b11
_FIRST_WITH_SCOPES: Final = 6
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11
_PATH_BENEATH: Final = 1  # LANDLOCK_RULE_PATH_BENEATH
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_NEVER_GRANTED: Final = 1 << 0 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 15
"""The rights to execute a file, to make devices and sockets, and to use device ioctls."""


def abi() -> int:
    """Return the version of the Landlock ABI here, or 0 if Landlock is missing or disabled."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, _VERSION_FLAG)
    except OSError:
        return 0


def create_ruleset(abi_version: int) -> int:
    """Return the descriptor of a new, empty ruleset that handles all rights of this ABI."""
    attributes = [(1 << _FILE_RIGHTS_BY_ABI[min(abi_version, _NEWEST_KNOWN_ABI)]) - 1]
    if abi_version >= _FIRST_WITH_NETWORK:
        attributes.append(_BIND_AND_CONNECT_TCP)
    if abi_version >= _FIRST_WITH_SCOPES:
        attributes.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    packed = ctypes.create_string_buffer(struct.pack(f"={len(attributes)}Q", *attributes))
    size = 8 * len(attributes)
    return kernel.call("landlock_create_ruleset", ctypes.addressof(packed), size, 0)


def add_rules(
    ruleset_fd: int,
    abi_version: int,
    *,
    readable: Iterable[str],
    listed: Iterable[str],
    writable: str,
) -> None:
    """Add rules that allow a process in the domain to use some files.

    It can read the `readable` paths, list the `listed` folders, and change the `writable` folder.
    Raises `OSError` if a path does not exist.
    """
    handled = (1 << _FILE_RIGHTS_BY_ABI[min(abi_version, _NEWEST_KNOWN_ABI)]) - 1
    for path in readable:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)  # works without the right to read it
        mode = os.fstat(fd).st_mode
        # The kernel refuses a rule that grants rights of folders on a file.
        rights = _READ_FILE | _READ_DIR if stat.S_ISDIR(mode) else _READ_FILE
        if stat.S_ISCHR(mode):  # tests also write to /dev/null
            rights |= _WRITE_FILE
        _add_rule(ruleset_fd, rights, fd)
    for path in listed:
        _add_rule(ruleset_fd, _READ_DIR, os.open(path, os.O_PATH | os.O_CLOEXEC))
    _add_rule(ruleset_fd, handled & ~_NEVER_GRANTED, os.open(writable, os.O_PATH | os.O_CLOEXEC))


def _add_rule(ruleset_fd: int, rights: int, fd: int) -> None:
    """Allow `rights` on the file or folder `fd`, and close `fd`."""
    # Without padding, because the kernel's struct is packed.
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd))
    try:
        kernel.call("landlock_add_rule", ruleset_fd, _PATH_BENEATH, ctypes.addressof(rule), 0)
    finally:
        os.close(fd)


def prepare_entry(ruleset_fd: int) -> kernel.PreparedCall:
    """Return the call that permanently confines a process to the domain of the ruleset.

    The process must already have set no_new_privs, without which the kernel refuses the call.
    """
    return kernel.prepare("Landlock", "landlock_restrict_self", ruleset_fd, 0)
