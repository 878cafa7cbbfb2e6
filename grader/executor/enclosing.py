"""The isolation of an instructor's tests: their process gives up all privileges it can spare.

Processes, and who may lie
    Tests hold proxies of a submission's objects, and nobody can list all the ways in which a test
    may run its text. So from the first line of a test on, their process counts as hostile, like an
    executor. Unlike an executor, it reads the tests' files, imports packages and writes to
    temporary folders, so system calls with paths are allowed. The isolation rests on the *room*, a
    root that contains only what the tests need, and on Landlock; either is enough by itself.

Privileges
    `enclose` runs once, in a fresh process, before the first file of the tests is read. It cannot
    fork: if it is killed, a new one starts from the beginning. Started as root it becomes nobody.
    If a room or Landlock is in force, it keeps one right, to read any file that these allow, since
    courses may be in folders that only root can read.

Failing
    A host may lack a layer; `enclose` reports what is in force. Without a room, tests can learn
    names and sizes of files outside, and only the waiting process bounds what they write. Without
    Landlock either, tests can read and write whatever their user can.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from grader.executor import kernel, landlock, lockdown, namespaces, rlimits, seccomp
from grader.executor.lockdown import NO_LAYERS, IsolationLayers, LockdownError
from grader.executor.namespaces import TestsRoom

_PR_SET_KEEPCAPS: Final = 8
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2
_ADDRESS_SPACE_FACTOR: Final = 4
"""Factor of address space over memory: libraries reserve address space that they never use."""
_STDERR: Final = 2


def enclose(room: TestsRoom, *, memory_bytes: int, cpu_s: float, keep_fd: int) -> IsolationLayers:
    """Confine this process permanently to `room`, and return the layers that are in force.

    It may use `memory_bytes` and `cpu_s`, and keeps descriptor `keep_fd` besides 0-2. Call
    this in the main thread, with no other thread running. Raises `LockdownError`.
    """
    machine = kernel.this_machine()
    if machine is None:
        return NO_LAYERS
    try:
        os.closerange(_STDERR + 1, keep_fd)
        os.closerange(keep_fd + 1, rlimits.descriptor_limit())
        return _enclose(machine, room, _ADDRESS_SPACE_FACTOR * memory_bytes, cpu_s)
    except OSError as error:
        raise LockdownError(f"the process of the tests cannot be locked: {error}") from error


def _enclose(
    machine: kernel.Machine, room: TestsRoom, space_bytes: int, cpu_s: float
) -> IsolationLayers:
    lockdown.refuse_threads()
    os.umask(0o022)  # the user nobody must be able to pass through the room's folders
    space_bytes += lockdown.address_space_bytes()
    abi = landlock.abi()
    was_root = lockdown.is_root()
    in_room = was_root and namespaces.enter(through_user_namespace=False, room=room)
    # Made in the room, which has a new writable folder; and as root, as nobody may be refused.
    ruleset_fd = _ruleset(abi, room) if was_root else None
    uid_dropped = _become_nobody(may_read=in_room or bool(abi), has_landlock=bool(abi))
    if not in_room and not was_root:
        in_room = namespaces.enter(through_user_namespace=True, room=room)
        lockdown.drop_capabilities()  # entering a user namespace grants them all
    if ruleset_fd is None:
        ruleset_fd = _ruleset(abi, room)
    os.chdir(room.folder if _can_enter(room.folder) else room.writable)
    # No core dumps, and processes with the same uid cannot trace it or read its /proc files.
    kernel.call("prctl", lockdown.PR_SET_DUMPABLE, 0)
    no_new_privs = lockdown.applies(lambda: kernel.call("prctl", lockdown.PR_SET_NO_NEW_PRIVS, 1))
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


def _ruleset(abi: int, room: TestsRoom) -> int | None:
    if not abi:
        return None
    ruleset_fd = landlock.deny_everything(abi)
    landlock.permit(
        ruleset_fd,
        abi,
        readable=room.readable,
        listed=room.listed,
        writable=room.writable,
    )
    return ruleset_fd


def _become_nobody(*, may_read: bool, has_landlock: bool) -> bool:
    """Drop root if we are root, but keep the right to read if other layers restrict it."""
    if not lockdown.is_root():
        return False
    kernel.call("prctl", _PR_SET_KEEPCAPS, 1)
    dropped = lockdown.become_nobody()
    rights = [_DAC_READ_SEARCH] * may_read + [
        _DAC_OVERRIDE
    ] * has_landlock  # not every root has both
    for kept in (*rights, 0):
        if lockdown.applies(partial(lockdown.drop_capabilities, kept)):
            break
    return dropped


def _can_enter(folder: str) -> bool:
    # With real ids, `access` would ignore the right to read that is kept.
    return os.access(folder, os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def _load_filter(machine: kernel.Machine, *, in_room: bool) -> bool:
    """Load the filter and check that it refuses; return whether seccomp is available."""
    program = seccomp.FilterProgram(seccomp.tests_filter(machine, in_room=in_room))
    if not lockdown.applies(lambda: seccomp.load_in_all_threads(program)):
        return False
    if lockdown.applies(lambda: kernel.call("prctl", lockdown.PR_GET_DUMPABLE)):
        raise LockdownError("seccomp: the filter was loaded and does not refuse")
    return True
