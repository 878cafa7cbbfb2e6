"""The kinds of host that tests set up for themselves, and a way to run a whole program in one.

A test calls one of these functions in a fork of its own: what they change is not to be undone.
Only root can set up most of them. From a shell, or to run a whole judge there:

    python tests/hosts.py HOST [--home FOLDER] -- COMMAND...
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import pwd
import struct
from collections.abc import Callable
from typing import Final, TypeAlias

from grader.executor import kernel, seccomp
from grader.executor.kernel import Machine, this_machine
from grader.executor.lockdown import NOBODY

Host: TypeAlias = Callable[[], None]
"""Makes the process that calls it run on another kind of host."""

PR_SET_DUMPABLE: Final = 4
PR_CAPBSET_DROP: Final = 24
PR_SET_NO_NEW_PRIVS: Final = 38
CLONE_NEW: Final = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
"""The flags with which clone(2) and unshare(2) make namespaces."""
LIBC: Final = ctypes.CDLL(None, use_errno=True)

LOAD: Final = 0x20
JUMP_IF_EQUAL: Final = 0x15
JUMP_IF_ANY_BIT: Final = 0x45
RETURN: Final = 0x06
NUMBER_AT: Final = 0
FIRST_ARGUMENT_AT: Final = 16
"""Where struct seccomp_data has the low half of it, on the little-endian machines we know."""


def as_root() -> None:
    """Leave root as it is: the lock can drop the uid."""


def as_user() -> None:
    """Become an ordinary user, like a student or a teacher on a machine of their own."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.call("prctl", PR_SET_DUMPABLE, 1)  # as after an exec by this user


def as_root_without_setuid() -> None:
    """Be a root that cannot become anybody else, whom RLIMIT_NPROC does not bind."""
    cap_setgid, cap_setuid = 6, 7
    kept = (1 << 32) - 1 & ~(1 << cap_setgid | 1 << cap_setuid)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    data = ctypes.create_string_buffer(24)
    kernel.call("capget", ctypes.addressof(header), ctypes.addressof(data))
    words = [word & kept for word in struct.unpack("=6I", data.raw[:24])]
    data = ctypes.create_string_buffer(struct.pack("=6I", *words))
    kernel.call("capset", ctypes.addressof(header), ctypes.addressof(data))


def in_container() -> None:
    """Load a filter like the one that Docker gives its containers, and its capabilities."""
    dockers_capabilities = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
    for capability in set(range(64)) - dockers_capabilities:
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    refuse_outside(
        "unshare setns mount umount2 pivot_root bpf perf_event_open keyctl add_key request_key "
        "io_uring_setup userfaultfd kexec_load init_module ptrace process_vm_readv",
        errno.EPERM,
    )
    refuse_outside("clone3", errno.ENOSYS)
    refuse_new_namespaces()


def in_container_as_user() -> None:
    """Be an ordinary user in such a container."""
    in_container()
    as_user()


def without_landlock() -> None:
    """Take Landlock away, as a kernel before 5.13 has none."""
    refuse_outside("landlock_create_ruleset", errno.ENOSYS)


def without_namespaces() -> None:
    """Take namespaces away, as many hosts do that have nothing to do with containers."""
    refuse_outside("unshare setns", errno.EPERM)
    refuse_new_namespaces()


def refuse_outside(calls: str, error: int) -> None:
    """Refuse system calls with a filter that is older than ours."""
    numbers = [this().numbers[name] for name in calls.split() if name in this().numbers]
    code = instruction(LOAD, k=NUMBER_AT)
    for number in numbers:
        code += instruction(JUMP_IF_EQUAL, otherwise=1, k=number)
        code += instruction(RETURN, k=seccomp.ERROR | error)
    load_filter(code + instruction(RETURN, k=seccomp.ALLOW))


def refuse_new_namespaces() -> None:
    """Refuse a clone(2) that asks for any namespace; forks and threads go on."""
    load_filter(
        instruction(LOAD, k=NUMBER_AT)
        + instruction(JUMP_IF_EQUAL, otherwise=3, k=this().numbers["clone"])
        + instruction(LOAD, k=FIRST_ARGUMENT_AT)
        + instruction(JUMP_IF_ANY_BIT, otherwise=1, k=sum(CLONE_NEW.values()))
        + instruction(RETURN, k=seccomp.ERROR | errno.EPERM)
        + instruction(RETURN, k=seccomp.ALLOW)
    )


def instruction(operation: int, *, then: int = 0, otherwise: int = 0, k: int) -> bytes:
    """Return one instruction of a filter; `then` and `otherwise` say how many to skip."""
    return struct.pack("=HBBI", operation, then, otherwise, k)


def load_filter(code: bytes) -> None:
    """Put a filter around this process and all that it will start."""
    if os.geteuid() != 0:
        kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1)
    program = seccomp.FilterProgram(code)
    assert 0 == kernel.make(seccomp.prepare_load(program).numbers)


def this() -> Machine:
    """Return the machine that runs the tests."""
    machine = this_machine()
    assert machine is not None
    return machine


FOR_COMMANDS: Final[dict[str, Host]] = {
    host.__name__: host for host in (as_root, as_user, in_container, in_container_as_user)
}


def main() -> None:
    """Become the host that the command line names, then run its command instead of this one."""
    parser = argparse.ArgumentParser(description="Run a command in another kind of host.")
    parser.add_argument("host", choices=FOR_COMMANDS)
    parser.add_argument("--home", help="HOME of the command; its user must own it")
    parser.add_argument("command", nargs="+", help="after --, the command and its arguments")
    options = parser.parse_args()
    FOR_COMMANDS[options.host]()
    os.environ["USER"] = os.environ["LOGNAME"] = user_name()
    if options.home is not None:
        os.environ["HOME"] = options.home
    os.execvp(options.command[0], options.command)


def user_name() -> str:
    """Return the name of the user that this process is by now."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container need not know its users
        return str(os.geteuid())


if __name__ == "__main__":
    main()
