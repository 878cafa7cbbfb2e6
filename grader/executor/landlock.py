"""Landlock: a domain in which nothing on the file system, network or outside can be reached.

The second wall. Should a path, a socket or a signal get past the seccomp filter, the kernel's file
and network code itself still refuses it, whatever system call it came by. Landlock works without
privileges; a process enters a domain and never leaves it, nor do its children.

A *ruleset* says which rights are handled; handled rights are refused unless a rule allows them,
and ours has no rules. It is built once, in the zygote, so that an executor only has to enter.
Rights came in over time, counted by an ABI number; a kernel refuses rulesets that mention rights
it does not know. From ABI 6 the domain is also a border for signals and abstract sockets: inside
cannot reach outside. What no version covers is metadata (`stat`, `access`, `readlink`, `chdir`),
which is why Landlock is the second wall and not the first.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Final

from grader.executor import kernel

_VERSION_FLAG: Final = 1

_FILE_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many of the rights, from bit 0 on, an ABI knows: 2 renames and links across directories,
3 truncation, 5 device ioctls."""
_NEWEST_KNOWN: Final = max(_FILE_RIGHTS_BY_ABI)
_FIRST_WITH_NETWORK: Final = 4
_BIND_AND_CONNECT_TCP: Final = 0b11
_FIRST_WITH_SCOPES: Final = 6
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11


def abi() -> int:
    """Return the version of Landlock in this kernel; 0 if there is none or it is switched off."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, _VERSION_FLAG)
    except OSError:
        return 0


def deny_everything(abi_version: int) -> int:
    """Return the descriptor of a ruleset that handles all rights of this ABI and allows none."""
    attributes = [(1 << _FILE_RIGHTS_BY_ABI[min(abi_version, _NEWEST_KNOWN)]) - 1]
    if abi_version >= _FIRST_WITH_NETWORK:
        attributes.append(_BIND_AND_CONNECT_TCP)
    if abi_version >= _FIRST_WITH_SCOPES:
        attributes.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    packed = ctypes.create_string_buffer(struct.pack(f"={len(attributes)}Q", *attributes))
    size = 8 * len(attributes)
    return kernel.call("landlock_create_ruleset", ctypes.addressof(packed), size, 0)


def entering(ruleset_fd: int) -> kernel.Prepared:
    """Return the call that confines a process for ever; it must have set no_new_privs."""
    return kernel.prepare("Landlock", "landlock_restrict_self", ruleset_fd, 0)
