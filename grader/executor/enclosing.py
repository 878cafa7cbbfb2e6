"""The isolation of an instructor's tests: restricted access to files, and few privileges.

Processes, and which of them are trusted
    Tests use proxies of a submission's objects, and there is no complete list of the ways in which
    a test might run text that came from the submission. So from the first line of a test on, the
    process counts as hostile, like an executor. Unlike an executor, it reads the tests' files,
    imports packages and writes to temporary folders, so system calls with paths are allowed. The
    isolation relies on the *room*, a root that contains only the files that the tests need, and on
    Landlock; each is sufficient on its own.

Privileges
    `enclose` runs once, in a fresh process, before the first test file is read. The process
    cannot fork: if it is killed, a new one starts from the beginning. Started as root it becomes
    nobody. If a room or Landlock is in force, it keeps one right: to read any file that the
    room or Landlock allows, because courses can be in folders that only root can read.

Failures
    A host might lack a layer; `enclose` reports the layers in force. Without a room, tests can find
    out names and sizes of files outside it, and only the process that waits for them limits how
    much they write. Without Landlock either, tests can read and write whatever their user can.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from grader.executor import kernel, landlock, lockdown, namespaces, rlimits, seccomp
from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.lockdown import LockdownError
from grader.executor.namespaces import TestsRoom

_PR_SET_KEEPCAPS: Final = 8
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2
_ADDRESS_SPACE_FACTOR: Final = 4
"""The factor of address space over memory, since libraries reserve more than they ever use."""
_STDERR: Final = 2


def enclose(room: TestsRoom, *, memory_bytes: int, cpu_s: float, keep_fd: int) -> IsolationLayers:
    """Confine this process permanently to `room`, and return the layers that are in force.

    The process can use `memory_bytes` of memory and `cpu_s` of CPU time, and keeps the descriptor
    `keep_fd` besides 0-2. Call this in the main thread, with no other thread running. Raises
    `LockdownError` if the process cannot be locked down. On a machine whose system call numbers we
    do not have, nothing is applied.
    """
    machine = kernel.this_machine()
    if machine is None:
        return NO_LAYERS
    try:
        os.closerange(_STDERR + 1, keep_fd)
        os.closerange(keep_fd + 1, rlimits.descriptor_limit())
        return _enclose(machine, room, _ADDRESS_SPACE_FACTOR * memory_bytes, cpu_s)
    except OSError as error:
        raise LockdownError(f"the test process cannot be locked down: {error}") from error


def _enclose(
    machine: kernel.Machine, room: TestsRoom, space_bytes: int, cpu_s: float
) -> IsolationLayers:
    """Do the work of `enclose`; `space_bytes` limits the address space.

    Also raises OSError if a system call fails.
    """
    lockdown.refuse_threads()
    os.umask(0o022)  # the user nobody must be able to enter the room's folders
    space_bytes += lockdown.address_space_bytes()
    abi = landlock.abi()
    was_root = lockdown.is_root()
    in_room = was_root and namespaces.enter(through_user_namespace=False, room=room)
    # Created inside the room, because the writable folder there is a new one, and as root, because
    # the user nobody might not be allowed to open the paths of the room.
    ruleset_fd = _create_ruleset(abi, room) if was_root else None
    uid_dropped = _become_nobody(may_read=in_room or bool(abi), has_landlock=bool(abi))
    if not in_room and not was_root:
        in_room = namespaces.enter(through_user_namespace=True, room=room)
        lockdown.drop_capabilities()  # entering a user namespace grants all capabilities
    if ruleset_fd is None:
        ruleset_fd = _create_ruleset(abi, room)
    os.chdir(room.folder if _can_enter(room.folder) else room.writable)
    # No core dumps, and no other process with this uid can trace this one or read its /proc files.
    kernel.call("prctl", lockdown.PR_SET_DUMPABLE, 0)
    no_new_privs = lockdown.try_apply(lambda: kernel.call("prctl", lockdown.PR_SET_NO_NEW_PRIVS, 1))
    lockdown.die_with_judge()
    if ruleset_fd is not None:
        kernel.call("landlock_restrict_self", ruleset_fd, 0)
        os.close(ruleset_fd)
    rlimits.limit_tests(
        address_space_bytes=space_bytes,
        file_bytes=room.most_bytes,
        cpu_s=cpu_s,
    )
    return IsolationLayers(
        no_new_privs=no_new_privs,
        uid_dropped=uid_dropped,
        seccomp=_load_filter(machine, in_room=in_room),
        landlock_abi=abi,
        namespaces=in_room,
        rlimits=True,
        parent_death_signal=True,
    )


def _create_ruleset(abi: int, room: TestsRoom) -> int | None:
    """Return the descriptor of a Landlock ruleset for `room`, or None without Landlock.

    Raises `OSError` if a path of the room does not exist.
    """
    if not abi:
        return None
    ruleset_fd = landlock.create_ruleset(abi)
    landlock.add_rules(
        ruleset_fd,
        abi,
        readable=room.readable,
        listed=room.listed,
        writable=room.writable,
    )
    return ruleset_fd


def _become_nobody(*, may_read: bool, has_landlock: bool) -> bool:
    """Drop root if we are root; return whether it was dropped.

    With `may_read`, one capability to read any file is kept: DAC_READ_SEARCH or, if that is missing
    and Landlock also restricts writing, DAC_OVERRIDE.
    """
    if not lockdown.is_root():
        return False
    kernel.call("prctl", _PR_SET_KEEPCAPS, 1)  # else the change of uid clears all capabilities
    dropped = lockdown.become_nobody()
    candidates = [_DAC_READ_SEARCH] * may_read + [_DAC_OVERRIDE] * has_landlock
    # Tried in order, because root in a container might lack one or both.
    for kept in (*candidates, 0):
        if lockdown.try_apply(partial(lockdown.drop_capabilities, kept)):
            break
    return dropped


def _can_enter(folder: str) -> bool:
    """Return whether this process can make `folder` its working directory."""
    # Effective ids, because `access` with real ids ignores the right to read that was kept.
    return os.access(folder, os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def _load_filter(machine: kernel.Machine, *, in_room: bool) -> bool:
    """Load the filter for tests, and return whether seccomp is available.

    Raises `LockdownError` if the loaded filter does not refuse a call that it should refuse.
    """
    program = seccomp.FilterProgram(seccomp.compile_tests_filter(machine, in_room=in_room))
    if not lockdown.try_apply(lambda: seccomp.load_in_all_threads(program)):
        return False
    if lockdown.try_apply(lambda: kernel.call("prctl", lockdown.PR_GET_DUMPABLE)):
        raise LockdownError("seccomp: the filter for tests was loaded, but does not refuse calls")
    return True
