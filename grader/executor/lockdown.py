"""Lockdown: how the zygote and its executors permanently give up everything they do not need.

Processes, and which of them are trusted
    The *judge* decides; it is not in this module. The *zygote* runs only our code, started by
    exec with an empty environment; it forks the *executors*. From the import of the submission on,
    an executor is hostile: the submission can change its Python objects, including this module, and
    with `ctypes` every byte of its memory. So its reports about its own isolation are worthless.
    All walls are therefore in the kernel and in force before the submission is read, and the
    process inside cannot remove them.

Privileges
    `lock_zygote` runs once, after the last import, when the last file has been read: from then on
    no path can be opened. Started as root, the zygote becomes nobody (65534). `lock_child` runs in
    each fresh child and adds the parts that are needed per child: a death signal, a Landlock domain
    (a border to the zygote and to other executors), limits, closed descriptors, a second filter
    without fork. After its lockdown the zygote can fork, reap, receive descriptors, read and write.
    It cannot kill, not even its own children; the judge can, by pid.

Layers, each of which stops most attacks on its own
    seccomp (see `syscall_policy`), Landlock, namespaces with an empty root, resource limits, the
    dropped uid, and having nothing to steal: no descriptor, no environment, no memory of the judge.

Failures
    A host might lack a layer; `lock_zygote` reports the layers in force, and the judge decides
    whether they are enough. If a reported layer cannot be applied to a child, or does not work as
    it should, `LockdownError` is raised: the child must end without reading a submission.

Not covered: kernel bugs in the remaining calls, and side channels of the processor. On systems
other than Linux, and on processors whose system call numbers we do not have, nothing is applied and
every layer is reported missing.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from ctypes import addressof, create_string_buffer
from dataclasses import dataclass
from typing import Final

from grader.executor import kernel, landlock, namespaces, rlimits, seccomp
from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.kernel import Machine, this_machine
from grader.executor.syscall_policy import PR_SET_PDEATHSIG, SIGKILL

NOBODY: Final = 65534

PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38
_F_DUPFD_CLOEXEC: Final = 1030
_CAPABILITY_VERSION_3: Final = 0x20080522
_DEV_NULL: Final = os.makedev(1, 3) if sys.platform == "linux" else 0
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_MAX_BYTES: Final = 2**46  # far below the numbers that mean "unlimited"
_MAX_S: Final = 2**31  # for the same reason
_chdir: Final = os.chdir  # bound now, because `os` is later patched for virtual files
_listdir: Final = os.listdir


class LockdownError(RuntimeError):
    """A process could not be locked down as required, so it must not run a submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZygoteLockdown:
    """What a zygote prepares for its children, because they can no longer prepare it themselves."""

    layers: IsolationLayers
    zygote_pid: int
    address_space_bytes: int = 0
    """The address space of the warm interpreter; the limit on a child's memory is added to it."""
    fds_end: int = 0
    """All descriptors of a child are below this number."""
    limits: rlimits.ExecutorLimits | None = None
    child_filter: seccomp.FilterProgram | None = None
    """Kept alive, because the kernel reads the program from this memory."""
    border_calls: tuple[kernel.PreparedCall, ...] = ()
    """System calls to make first, which cut the child off from the zygote and its descriptors."""
    final_calls: tuple[kernel.PreparedCall, ...] = ()
    """System calls to make last: the limits, then the filter that refuses all of these calls."""


def lock_zygote() -> ZygoteLockdown:
    """Lock this process down permanently, and return what its children need.

    Call this once, in the main thread, when everything that a child will ever import has been
    imported and no other thread runs. No file can be opened afterwards. Raises LockdownError if the
    process cannot be locked down.
    """
    machine = this_machine()
    if machine is None:
        return ZygoteLockdown(layers=NO_LAYERS, zygote_pid=os.getpid())
    try:
        return _lock_zygote(machine)
    except OSError as error:
        raise LockdownError(f"the zygote cannot be locked down: {error}") from error


def _lock_zygote(machine: Machine) -> ZygoteLockdown:
    """Do the work of `lock_zygote` on `machine`; also raises OSError if a system call fails."""
    refuse_threads()
    _chdir("/")
    space_bytes = address_space_bytes()
    null_fd = _open_null()
    landlock_abi = landlock.abi()
    ruleset_fd = landlock.create_ruleset(landlock_abi) if landlock_abi else None
    limits = rlimits.ExecutorLimits()
    fds_end = _descriptor_limit()
    in_namespaces = is_root() and namespaces.enter(through_user_namespace=False)
    uid_dropped = become_nobody()
    # Only after the uid is dropped, because a user namespace maps only the uid that entered it.
    in_namespaces = in_namespaces or namespaces.enter(through_user_namespace=True)
    drop_capabilities()  # entering a user namespace grants all capabilities
    # No core dumps, and no other process with this uid can trace this one or read its /proc files.
    kernel.call("prctl", PR_SET_DUMPABLE, 0)
    no_new_privs = try_apply(lambda: kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1))
    die_with_judge()
    rlimits.limit_zygote(fds_end)
    child_filter = _load_zygote_filter(machine)
    return ZygoteLockdown(
        layers=IsolationLayers(
            no_new_privs=no_new_privs,
            uid_dropped=uid_dropped,
            seccomp=child_filter is not None,
            landlock_abi=landlock_abi,
            namespaces=in_namespaces,
            rlimits=True,
            parent_death_signal=True,
        ),
        zygote_pid=os.getpid(),
        address_space_bytes=space_bytes,
        fds_end=fds_end,
        limits=limits,
        child_filter=child_filter,
        border_calls=tuple(_prepare_border_calls(ruleset_fd, null_fd)),
        final_calls=(*limits.calls, *(filter_calls(child_filter) if child_filter else ())),
    )


def lock_child(lock: ZygoteLockdown, *, memory_bytes: int, cpu_s: float, keep_fd: int) -> None:
    """Lock this freshly forked child down permanently, before it runs code of a submission.

    `memory_bytes` limits what the child uses beyond the warm interpreter that it was forked from,
    and `cpu_s` its CPU time. `keep_fd` is the only descriptor that it keeps besides 0-2, which
    become /dev/null. Raises LockdownError if a limit is invalid, if a layer of the zygote cannot be
    applied, or if the zygote is gone; the caller must then end the process. Does nothing on a
    machine for which the zygote could not prepare any calls.

    The zygote has prepared all calls as numbers; see `kernel.PreparedCall` for the reason.
    """
    if not (0 < memory_bytes <= _MAX_BYTES and 0 < cpu_s <= _MAX_S and keep_fd > _STDERR):
        raise LockdownError(
            f"invalid limits for an executor: {memory_bytes=}, {cpu_s=}, {keep_fd=};"
            f" memory_bytes must be 1 to {_MAX_BYTES}, cpu_s more than 0 and at most {_MAX_S}, and"
            f" keep_fd more than {_STDERR}"
        )
    if lock.limits is None:
        return
    _make_calls(lock.border_calls)
    os.closerange(_STDERR + 1, keep_fd)
    os.closerange(keep_fd + 1, lock.fds_end)
    lock.limits.set_for_child(lock.address_space_bytes + memory_bytes, cpu_s)
    _make_calls(lock.final_calls)
    # If the zygote died before the death signal was set up, no signal will be sent.
    if os.getppid() != lock.zygote_pid:
        raise LockdownError("the zygote is gone")


def try_apply(apply: Callable[[], object]) -> bool:
    """Call `apply`; return False if it raises `OSError`, because this host does not allow it."""
    try:
        apply()
    except OSError:
        return False
    return True


# The zygote


def refuse_threads() -> None:
    """Raise LockdownError if another thread runs: in a child, its locks would stay held forever.

    The threads are counted by the kernel, because C libraries start threads, too (numpy's BLAS does
    unless OPENBLAS_NUM_THREADS=1). Without /proc nothing is checked, but the filter still applies
    to every thread.
    """
    try:
        count = len(_listdir("/proc/self/task"))
    except OSError:
        return
    if count > 1:
        raise LockdownError(
            f"this process runs {count} threads, but must run only one: a module imported before"
            " the lockdown starts threads, and must not be preloaded"
        )


def address_space_bytes() -> int:
    """Return how much address space is in use, or 0 without /proc.

    With 0, children get less memory than their limit.
    """
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _open_null() -> int:
    """Return a descriptor above 2 for /dev/null.

    Submissions write to it, so LockdownError is raised if /dev/null is not really the null device.
    If the file was first opened as one of 0-2, that descriptor stays open as well.
    """
    fd = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    status = os.fstat(fd)
    if not stat.S_ISCHR(status.st_mode) or status.st_rdev != _DEV_NULL:
        os.close(fd)
        raise LockdownError(
            "/dev/null is not the null device on this host: create it again, as root, with"
            " `rm -f /dev/null; mknod -m 666 /dev/null c 1 3`"
        )
    if fd > _STDERR:
        return fd
    return kernel.call("fcntl", fd, _F_DUPFD_CLOEXEC, _STDERR + 1)  # `dup` could return 0-2


def _descriptor_limit() -> int:
    """Return a number above all current descriptors, to use as the limit for later ones.

    Thanks to it, a child closes all inherited descriptors with one or two system calls.
    Kernels before 5.9 close descriptors one by one, so the number must not be too high.
    """
    try:
        highest = max(int(name) for name in _listdir("/proc/self/fd"))
    except OSError:
        highest = rlimits.descriptor_limit() - 1
    return max(highest + 1, rlimits.ZYGOTE_FILES)


def is_root() -> bool:
    """Return whether this process is root, or can become root again."""
    return 0 in os.getresuid()


def become_nobody() -> bool:
    """Drop uid, gid and groups if we are root; return whether all were dropped.

    A step that fails (without CAP_SETUID, or in a user namespace without the user nobody) does not
    prevent the other steps.
    """
    if not is_root():
        return False
    steps = (
        # The uid comes last, because only root is allowed to drop the others.
        lambda: os.setgroups([]),
        lambda: os.setresgid(NOBODY, NOBODY, NOBODY),
        lambda: os.setresuid(NOBODY, NOBODY, NOBODY),
    )
    results = [try_apply(step) for step in steps]
    return all(results)


def drop_capabilities(kept: int = 0) -> None:
    """Give up all capabilities except `kept`, a bit mask, even if the uid stays the same."""
    header = create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    # Effective, permitted and inheritable: first the low 32 capabilities, then the high ones.
    capabilities = create_string_buffer(struct.pack("=6I", kept, kept, 0, 0, 0, 0))
    kernel.call("capset", addressof(header), addressof(capabilities))


def die_with_judge() -> None:
    """Make the kernel kill this process when the judge, its parent, dies.

    Changing the uid clears this setting, so call this function afterwards. The kernel watches the
    parent's *thread*, so the judge has to start the zygote from its main thread. If the judge is
    dead already, the zygote ends because its control socket is closed.
    """
    kernel.call("prctl", PR_SET_PDEATHSIG, SIGKILL)


def _load_zygote_filter(machine: Machine) -> seccomp.FilterProgram | None:
    """Load and test the zygote filter; return the filter for its children.

    Return None if seccomp is not available. Raises LockdownError if the loaded filter does not
    refuse a call that it should refuse.
    """
    zygote_filter = seccomp.FilterProgram(seccomp.compile_zygote_filter(machine))
    if not try_apply(lambda: seccomp.load_in_all_threads(zygote_filter)):
        return None
    if try_apply(lambda: kernel.call("prctl", PR_GET_DUMPABLE)):
        raise LockdownError("seccomp: the zygote filter was loaded, but does not refuse calls")
    return seccomp.FilterProgram(seccomp.compile_child_filter(machine))


# The child


def _make_calls(calls: tuple[kernel.PreparedCall, ...]) -> None:
    """Make the system calls in order, or raise LockdownError at the first unexpected result."""
    for layer, name, expected_error, numbers in calls:
        result = kernel.make(numbers)
        error = 0 if result >= 0 else -result
        if error != expected_error:
            outcome = os.strerror(error) if error else "not refused, although it must be"
            raise LockdownError(f"{layer}: {name} in the child: {outcome}")


def _prepare_border_calls(ruleset_fd: int | None, null_fd: int) -> Iterator[kernel.PreparedCall]:
    """Yield the system calls with which a child begins to lock itself in.

    See `ZygoteLockdown.border_calls`.
    """
    yield kernel.prepare("parent death signal", "prctl", PR_SET_PDEATHSIG, SIGKILL)
    if ruleset_fd is not None:
        yield landlock.prepare_entry(ruleset_fd)
    for fd in (_STDIN, _STDOUT, _STDERR):
        yield kernel.prepare("descriptors", "dup3", null_fd, fd, 0)  # aarch64 has no `dup2`


def filter_calls(child_filter: seccomp.FilterProgram) -> tuple[kernel.PreparedCall, ...]:
    """Return the calls that load the child filter, and check that both filters are in force."""
    refused = errno.EPERM
    return (
        kernel.prepare("seccomp", "prctl", PR_GET_DUMPABLE, expected_error=refused),
        seccomp.prepare_load(child_filter),
        # The zygote filter allows this call: only the child filter can have refused it.
        kernel.prepare("seccomp", "prctl", PR_SET_PDEATHSIG, SIGKILL, expected_error=refused),
    )
