"""Lockdown, tried on real processes: every attempt really is made, in every kind of host.

Each test forks a zygote that sets up its surroundings, locks itself and forks an executor, which
locks itself and then runs a function of this file. Nothing is imitated. Attempts are chosen such
that a wall with a hole hurts nobody: signal 0, the mode that is there, names that nobody has. An
attempt that fails for such a reason of its own counts as an escape.
"""

from __future__ import annotations

import collections
import ctypes
import decimal
import errno
import fcntl
import gc
import hashlib
import io
import json
import mmap
import os
import platform
import random
import re
import resource
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from grader.executor import kernel, lockdown, rlimits, seccomp
from grader.executor.layers import NONE, Layers
from grader.executor.lockdown import NOBODY, ZygoteLock, lock_child, lock_zygote
from grader.executor.probe import probe_layers
from grader.executor.rlimits import CHILD_FILES
from grader.executor.syscall_numbers import MACHINES, Machine, this_machine
from grader.executor.syscall_policy import DENIALS, GRANTS, Arg, Grant

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="lockdown is for Linux"),
    # pytest-xdist runs a thread of its own; our forks never return into pytest.
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

MIB: Final = 1024 * 1024
PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38
CLONE_THREAD_FLAGS: Final = 0x003D0F00
CLONE_NEW: Final = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
REFUSED: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTTY}
HOLE: Final = f"/tmp/lockdown-test-{os.getpid()}"
"""Where files appear if a wall has a hole."""
PASSWD: Final = ctypes.create_string_buffer(b"/etc/passwd")
BUFFER: Final = ctypes.create_string_buffer(4096)
BUFFER_AT: Final = ctypes.addressof(BUFFER)
PASSWD_AT: Final = ctypes.addressof(PASSWD)
LIBC: Final = ctypes.CDLL(None, use_errno=True)


# Surroundings, set up in the zygote before it locks itself


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
        LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    refuse_outside(
        "unshare setns mount umount2 pivot_root bpf perf_event_open keyctl add_key request_key "
        "io_uring_setup userfaultfd kexec_load init_module ptrace process_vm_readv",
        errno.EPERM,
    )
    refuse_outside("clone3", errno.ENOSYS)


def in_container_as_user() -> None:
    """Be an ordinary user in such a container."""
    in_container()
    as_user()


def without_landlock() -> None:
    """Take Landlock away, as a kernel before 5.13 has none."""
    refuse_outside("landlock_create_ruleset", errno.ENOSYS)


SURROUNDINGS: Final = [
    pytest.param(
        set_up,
        id=set_up.__name__,
        marks=pytest.mark.skipif(
            set_up is not as_user and os.geteuid() != 0, reason="only root can set this up"
        ),
    )
    for set_up in (
        as_root,
        as_user,
        as_root_without_setuid,
        in_container,
        in_container_as_user,
        without_landlock,
    )
]
everywhere = pytest.mark.parametrize("surroundings", SURROUNDINGS)
as_root_only = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can set this up"
)


def refuse_outside(calls: str, error: int) -> None:
    """Refuse system calls with a filter that is older than ours."""
    numbers = [this().numbers[name] for name in calls.split() if name in this().numbers]
    code = struct.pack("=HBBI", 0x20, 0, 0, 0)
    for number in numbers:
        code += struct.pack("=HBBI", 0x15, 0, 1, number)
        code += struct.pack("=HBBI", 0x06, 0, 0, seccomp.ERROR | error)
    code += struct.pack("=HBBI", 0x06, 0, 0, seccomp.ALLOW)
    if os.geteuid() != 0:
        kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1)
    program = seccomp.Program(code)
    assert 0 == kernel.make(seccomp.loading(program).numbers)


def this() -> Machine:
    """Return the machine that runs the tests."""
    machine = this_machine()
    assert machine is not None
    return machine


# Running something in an executor


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a function that ran in an executor."""

    value: Any = None
    raised: str | None = None
    errno: int | None = None
    killed_by: int = 0
    layers: Layers = NONE


def in_executor(
    run: Callable[[], object],
    surroundings: Callable[[], object] = as_root,
    *,
    memory_bytes: int = 256 * MIB,
    cpu_s: float = 10,
) -> Outcome:
    """Run `run` in a locked executor of a locked zygote; return what became of it."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock = lock_zygote()
        status = os.waitpid(fork_executor(lock, report_fd), 0)[1]
        killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        write_line(report_fd, {"layers": lock.layers.to_json(), "killed_by": killed_by})

    def fork_executor(lock: ZygoteLock, report_fd: int) -> int:
        def be_executor() -> None:
            lock_child(lock, memory_bytes=memory_bytes, cpu_s=cpu_s, keep_fd=report_fd)
            write_line(report_fd, described(run))

        return fork(be_executor, report_fd)

    reports = reports_of(be_zygote)
    merged = {key: value for report in reports for key, value in report.items()}
    assert "layers" in merged, merged
    return Outcome(**merged | {"layers": Layers.from_json(merged["layers"])})


def in_zygote(run: Callable[[], object], set_up: Callable[[], object] = as_root) -> object:
    """Run `run` in a locked zygote; return what it returned, or the text of what it raised."""

    def be_zygote(report_fd: int) -> None:
        set_up()
        lock_zygote()
        write_line(report_fd, {"value": run()})

    (report,) = reports_of(be_zygote)
    return report["value"]


def in_turn(*steps: Callable[[], object]) -> None:
    """Call one after the other."""
    for step in steps:
        step()


def reports_of(run: Callable[[int], object]) -> list[dict[str, Any]]:
    """Return what a fork and its children report on the pipe they get, until they all end."""
    read_fd, write_fd = os.pipe()

    def be_fork() -> None:
        os.close(read_fd)
        run(write_fd)

    pid = fork(be_fork, write_fd)
    os.close(write_fd)
    with open(read_fd, encoding="utf-8") as pipe:
        lines = pipe.readlines()
    os.waitpid(pid, 0)
    return [json.loads(line) for line in lines]


def fork(run: Callable[[], object], report_fd: int) -> int:
    """Run `run` in a fork that never returns from it; return the pid."""
    pid = os.fork()
    if pid:
        return pid
    try:
        run()
    except BaseException as error:  # noqa: BLE001 - pytest must never go on in a fork
        write_line(report_fd, {"raised": type(error).__name__, "value": str(error)})
    finally:
        os._exit(0)


def described(run: Callable[[], object]) -> dict[str, object]:
    """Call `run` and describe what it did."""
    try:
        return {"value": run()}
    except Exception as error:  # noqa: BLE001 - how an attempt fails is what is tested
        return {"raised": type(error).__name__, "errno": getattr(error, "errno", None)}


def write_line(fd: int, data: object) -> None:
    """Write one line of JSON."""
    os.write(fd, json.dumps(data).encode() + b"\n")


def kept_fd() -> int:
    """Return the one descriptor above 2 that this executor has."""
    (fd,) = (fd for fd in range(3, 64) if is_open(fd))
    return fd


def is_open(fd: int) -> bool:
    """Say whether a descriptor is open."""
    try:
        os.get_inheritable(fd)
    except OSError:
        return False
    return True


# Attempts: name -> what is tried. All must end in an error that says no.


def call(name: str, *args: int) -> Callable[[], object]:
    """Return an attempt at a system call that Python does not wrap, if the machine has it."""
    return lambda: kernel.call(name, *args)


def path_call(name: str, *args: int) -> Callable[[], object]:
    """Return an attempt at a system call on /etc/passwd."""
    return call(name, PASSWD_AT, *args)


def set_limit(which: int, amount: int) -> Callable[[], object]:
    """Return an attempt at a limit; `resource.setrlimit` would turn a refusal into ValueError."""
    limits = ctypes.create_string_buffer(struct.pack("=2q", amount, amount))
    return lambda: kernel.call("prlimit64", 0, which, ctypes.addressof(limits))


def start_thread() -> None:
    """Start a thread."""
    threading.Thread(target=int).start()


def fork_and_forget() -> None:
    """Fork, with the child gone at once if that works."""
    if os.fork() == 0:
        os._exit(0)


def raw_fork(name: str, flags: int) -> Callable[[], object]:
    """Return an attempt to fork by system call, with the child gone at once if that works."""

    def attempt() -> None:
        if kernel.call(name, flags) == 0:
            os._exit(0)

    return attempt


AT_FDCWD: Final = -100
AT_EMPTY_PATH: Final = 0x1000
FILES: Final[dict[str, Callable[[], object]]] = {
    "open": Path("/etc/passwd").read_bytes,
    "open-null": Path("/dev/null").read_bytes,
    "open-own-maps": Path("/proc/self/maps").read_bytes,
    "open-parent-memory": lambda: Path(f"/proc/{os.getppid()}/mem").read_bytes(),
    "create": Path(HOLE + "-file").touch,
    "stat": lambda: os.stat("/etc/passwd"),
    "stat-missing": lambda: os.stat("/no/such/file"),
    "lstat": lambda: os.lstat("/etc/passwd"),
    "stat-with-empty-path-flag": call("newfstatat", AT_FDCWD, PASSWD_AT, BUFFER_AT, AT_EMPTY_PATH),
    "statx": call("statx", AT_FDCWD, PASSWD_AT, 0, 0xFFF, BUFFER_AT),
    "statvfs": lambda: os.statvfs("/"),
    "listdir": lambda: os.listdir("/"),
    "scandir": lambda: os.scandir("/"),
    "readlink": lambda: os.readlink("/proc/self/exe"),
    "access": call("faccessat", AT_FDCWD, PASSWD_AT, 0),
    "access2": call("faccessat2", AT_FDCWD, PASSWD_AT, 0, 0),
    "chdir": lambda: os.chdir("/etc"),
    "chroot": lambda: os.chroot("/tmp"),
    "mkdir": lambda: os.mkdir(HOLE + "-directory"),
    "rmdir": lambda: os.rmdir(HOLE + "-directory"),
    "unlink": lambda: os.unlink(HOLE + "-file"),
    "rename": lambda: os.rename(HOLE + "-file", HOLE + "-other"),
    "symlink": lambda: os.symlink("/etc/passwd", HOLE + "-link"),
    "link": lambda: os.link("/etc/passwd", HOLE + "-link"),
    "chmod": lambda: os.chmod(HOLE + "-file", 0o777),
    "chown": lambda: os.chown(HOLE + "-file", 0, 0),
    "truncate": lambda: os.truncate(HOLE + "-file", 0),
    "utime": lambda: os.utime(HOLE + "-file"),
    "getxattr": lambda: os.getxattr("/etc/passwd", "user.x"),
    "openat2": call("openat2", AT_FDCWD, PASSWD_AT, BUFFER_AT, 24),
    "handle": call("name_to_handle_at", AT_FDCWD, PASSWD_AT, BUFFER_AT, BUFFER_AT + 512, 0),
    "inotify": call("inotify_init1", 0),
    "fchmod-of-null": lambda: os.fchmod(0, 0o666),
    "old-open": path_call("open"),
    "old-stat": path_call("stat", BUFFER_AT),
    "old-access": path_call("access"),
}
SOCKETS: Final[dict[str, Callable[[], object]]] = {
    "inet": lambda: socket.socket(socket.AF_INET),
    "inet-datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "inet-raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW),
    "inet6": lambda: socket.socket(socket.AF_INET6),
    "unix": lambda: socket.socket(socket.AF_UNIX),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "kernel-crypto": lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET),
    "vsock": lambda: socket.socket(socket.AF_VSOCK),
    "pair": socket.socketpair,
    "wrap": lambda: socket.socket(fileno=kept_fd()),
    "send": lambda: kernel.call("sendto", kept_fd(), BUFFER_AT, 1),
    "send-descriptor": lambda: kernel.call("sendmsg", kept_fd(), BUFFER_AT),
    "receive-descriptor": lambda: kernel.call("recvmsg", kept_fd(), BUFFER_AT),
    "shut-down": lambda: kernel.call("shutdown", kept_fd(), 2),
}
PROCESSES: Final[dict[str, Callable[[], object]]] = {
    "fork": fork_and_forget,
    "raw-clone": raw_fork("clone", signal.SIGCHLD),
    "raw-fork": raw_fork("fork", 0),
    "sibling": raw_fork("clone", signal.SIGCHLD | 0x8000),
    "clone3": call("clone3", BUFFER_AT, 88),
    "thread": start_thread,
    "raw-thread": call("clone", CLONE_THREAD_FLAGS),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "execveat": call("execveat", AT_FDCWD, PASSWD_AT, 0, 0, 0),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
    "system-shell": lambda: os.popen("true"),
    "wait": lambda: kernel.call("wait4", -1),
    "session": os.setsid,
    **{f"unshare-{name}": call("unshare", flag) for name, flag in CLONE_NEW.items()},
    **{
        f"clone-{name}": raw_fork("clone", flag | signal.SIGCHLD)
        for name, flag in CLONE_NEW.items()
    },
    "setns": call("setns", 0, 0),
}
OTHERS: Final[dict[str, Callable[[], object]]] = {
    "kill-init": lambda: os.kill(1, 0),
    "kill-zygote": lambda: os.kill(os.getppid(), 0),
    "kill-everybody": lambda: os.kill(-1, 0),
    "kill-group": lambda: kernel.call("kill", 0, 0),
    "kill-itself": lambda: os.kill(os.getpid(), 0),
    "tkill": lambda: kernel.call("tkill", os.getppid(), 0),
    "tgkill": lambda: kernel.call("tgkill", os.getppid(), os.getppid(), 0),
    "queue-signal": lambda: kernel.call("rt_sigqueueinfo", os.getppid(), 0, BUFFER_AT),
    "pidfd": lambda: os.pidfd_open(os.getppid()),
    "pidfd-signal": lambda: signal.pidfd_send_signal(0, 0),
    "signals-by-descriptor": lambda: fcntl.fcntl(kept_fd(), 8, os.getppid()),  # F_SETOWN
    "alarm": call("alarm", 1),
    "interval-timer": lambda: signal.setitimer(signal.ITIMER_REAL, 1),
    "ptrace-itself": call("ptrace", 0),
    "ptrace-zygote": lambda: kernel.call("ptrace", 16, os.getppid()),
    "read-memory": lambda: kernel.call(
        "process_vm_readv", os.getppid(), BUFFER_AT, 1, BUFFER_AT, 1
    ),
    "write-memory": lambda: kernel.call("process_vm_writev", os.getppid(), BUFFER_AT, 0, BUFFER_AT),
    "compare": lambda: kernel.call("kcmp", os.getpid(), os.getppid(), 0, 0, 0),
    "steal-descriptor": call("pidfd_getfd", 0, 0, 0),
    "zygote-cpu-clock": lambda: kernel.call("clock_gettime", ~os.getppid() << 3 | 2, BUFFER_AT),
    "zygote-affinity": lambda: os.sched_getaffinity(os.getppid()),
    "zygote-limits": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU),
    "zygote-priority": lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 0),
    "zygote-group": lambda: os.getpgid(os.getppid()),
    "shared-memory": call("shmget", 4711, 4096, 0),
    "semaphores": call("semget", 4711, 1, 0),
    "message-queue": call("msgget", 4711, 0),
    "posix-queue": call("mq_open", PASSWD_AT, 0),
}
KERNEL: Final[dict[str, Callable[[], object]]] = {
    "memfd": lambda: os.memfd_create("x"),
    "secret-memfd": call("memfd_secret", 0),
    "io_uring": call("io_uring_setup", 1, BUFFER_AT),
    "aio": call("io_setup", 1, BUFFER_AT),
    "bpf": call("bpf", 0, BUFFER_AT, 64),
    "perf": call("perf_event_open", BUFFER_AT, 0, -1, -1, 0),
    "userfaultfd": call("userfaultfd", 1),
    "keyctl": call("keyctl", 0, -3, 1),
    "add-key": call("add_key", PASSWD_AT, PASSWD_AT, BUFFER_AT, 1, -3),
    "mount": call("mount", 0, PASSWD_AT, 0, 0, 0),
    "umount": path_call("umount2", 8),
    "fsopen": path_call("fsopen", 0),
    "open_tree": call("open_tree", AT_FDCWD, PASSWD_AT, 0),
    "pivot_root": path_call("pivot_root", PASSWD_AT),
    "module": call("init_module", 0, 0, 0),
    "kernel-log": call("syslog", 10, 0, 0),
    "personality": call("personality", 0xFFFFFFFF),
    "terminal-input": lambda: fcntl.ioctl(0, 0x5412, b"x"),  # TIOCSTI
    "dup": lambda: kernel.call("dup", 0),
    "dup2": lambda: os.dup2(0, 9),
    "dup-by-fcntl": lambda: os.dup(0),
    "pipe": os.pipe,
    "eventfd": lambda: os.eventfd(0),
    "epoll": select.epoll,
    "lock-memory": call("mlockall", 1),
    "no-such-call": lambda: raw(9999),
}
UNLOCKING: Final[dict[str, Callable[[], object]]] = {
    "dumpable": call("prctl", PR_SET_DUMPABLE, 1),
    "outlive-the-zygote": call("prctl", PR_SET_PDEATHSIG, 0),
    "new-privileges": call("prctl", PR_SET_NO_NEW_PRIVS, 0),
    "more-memory": set_limit(resource.RLIMIT_AS, -1),
    "more-cpu": set_limit(resource.RLIMIT_CPU, -1),
    "soft-cpu-to-hard": set_limit(resource.RLIMIT_CPU, 11),
    "more-processes": set_limit(resource.RLIMIT_NPROC, 9),
    "more-files": set_limit(resource.RLIMIT_NOFILE, 99),
    "old-setrlimit": call("setrlimit", 9, BUFFER_AT),
    "setuid": lambda: os.setuid(0),
    "setresuid": lambda: os.setresuid(0, 0, 0),
    "setgid": lambda: os.setgid(0),
    "setgroups": lambda: os.setgroups([0]),
    "capset": call("capset", BUFFER_AT, BUFFER_AT),
    "another-filter": call("seccomp", 1, 0, BUFFER_AT),
    "filter-by-prctl": call("prctl", 22, 2, BUFFER_AT),
    "filter-listener": call("seccomp", 1, 8, BUFFER_AT),
    "new-ruleset": call("landlock_create_ruleset", BUFFER_AT, 8, 0),
    "another-domain": call("landlock_restrict_self", 0, 0),
    "affinity": lambda: os.sched_setaffinity(0, [0]),
    "nice": lambda: os.nice(-5),
}


def raw(number: int, *args: int) -> int:
    """Make a system call by number."""
    result: int = LIBC.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "raw")
    return result


def assert_refused(
    attempts: dict[str, Callable[[], object]], surroundings: Callable[[], object]
) -> None:
    """Make the attempts in an executor, and expect a plain no to each."""
    outcome = in_executor(lambda: escapes(attempts), surroundings)

    assert 0 == outcome.killed_by
    assert {} == outcome.value


def escapes(attempts: dict[str, Callable[[], object]]) -> dict[str, object]:
    """Make the attempts and return what came of those that were not refused."""
    results = {name: described(attempt) for name, attempt in attempts.items()}
    return {
        name: {key: str(value) for key, value in result.items()}
        for name, result in results.items()
        if result.get("errno") not in REFUSED and result.get("raised") != "RuntimeError"
    }


@everywhere
def test_no_path_can_be_reached(surroundings: Callable[[], object]) -> None:
    """An executor cannot open, change or even learn the existence of a file."""
    assert_refused(FILES, surroundings)


@everywhere
def test_no_socket_but_the_kept_one(surroundings: Callable[[], object]) -> None:
    """An executor cannot make a socket, nor do more with its own than read and write."""
    assert_refused(SOCKETS, surroundings)


@everywhere
def test_no_new_process_thread_or_namespace(surroundings: Callable[[], object]) -> None:
    """An executor stays one process with one thread that runs one program."""
    assert_refused(PROCESSES, surroundings)


@everywhere
def test_other_processes_are_out_of_reach(surroundings: Callable[[], object]) -> None:
    """An executor cannot signal, read, slow down or measure another process."""
    assert_refused(OTHERS, surroundings)


@everywhere
def test_rest_of_the_kernel_is_out_of_reach(surroundings: Callable[[], object]) -> None:
    """An executor gets no new descriptor and nothing of the kernel that it does not need."""
    assert_refused(KERNEL, surroundings)


@everywhere
def test_a_lock_cannot_be_lifted(surroundings: Callable[[], object]) -> None:
    """An executor cannot take back any restriction, nor change it in its favour."""
    assert_refused(UNLOCKING, surroundings)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is a table of x86_64")
def test_x32_call_kills() -> None:
    """A call from the x32 table, where numbers mean something else, kills the process."""
    assert signal.SIGSYS == in_executor(lambda: raw(0x40000000 + 39)).killed_by


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86_64")
def test_32_bit_call_kills() -> None:
    """A call from the 32-bit table, by its own instruction, kills the process."""

    def attempt() -> int:
        getpid_the_old_way = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(getpid_the_old_way)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        pid: int = ctypes.CFUNCTYPE(ctypes.c_int)(start)()
        return pid

    assert signal.SIGSYS == in_executor(attempt).killed_by


# What an executor has, and what it may use up


def test_standard_descriptors_are_the_null_device(tmp_path: Path) -> None:
    """Whatever 0-2 were in the zygote, in an executor they are empty and swallow everything."""
    file = tmp_path / "log"
    file.write_text("secret", encoding="utf-8")

    def open_log() -> None:
        fd = os.open(file, os.O_RDWR)
        for standard_fd in (0, 1, 2):
            os.dup2(fd, standard_fd)

    outcome = in_executor(
        lambda: [os.read(0, 6).decode(), os.write(1, b"out"), os.write(2, b"err")], open_log
    )

    assert ["", 3, 3] == outcome.value
    assert "secret" == file.read_text(encoding="utf-8")


def test_inherited_descriptors_are_closed(tmp_path: Path) -> None:
    """A file that is open in the zygote cannot be written by an executor."""
    file = tmp_path / "kept-open"
    fds: list[int] = []

    def open_files() -> None:
        fds.extend(os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(40))
        os.dup2(fds[0], 700)

    def attempt() -> list[int]:
        return [fd for fd in range(3, 1024) if is_open(fd)]

    kept = in_executor(attempt, open_files).value

    assert 1 == len(kept)
    assert "" == file.read_text(encoding="utf-8")


def test_descriptors_are_closed_one_by_one_on_old_kernels() -> None:
    """Without close_range, before Linux 5.9, no descriptor is left either."""

    def set_up() -> None:
        os.dup2(0, 700)
        refuse_outside("close_range", errno.ENOSYS)

    outcome = in_executor(lambda: [fd for fd in range(3, 1024) if is_open(fd)], set_up)

    assert 1 == len(outcome.value)


@everywhere
def test_memory_is_bounded(surroundings: Callable[[], object]) -> None:
    """An allocation beyond the limit raises MemoryError, and the executor lives on."""

    def attempt() -> str:
        try:
            bytearray(400 * MIB)
        except MemoryError:
            return "refused"
        return "allowed"

    assert "refused" == in_executor(attempt, surroundings).value


def test_memory_limit_is_what_comes_on_top() -> None:
    """What the warm interpreter itself takes does not count."""
    assert 100 * MIB == in_executor(lambda: len(bytearray(100 * MIB)), memory_bytes=128 * MIB).value


def test_cpu_time_is_bounded() -> None:
    """An executor that nobody watches ends with SIGXCPU."""

    def attempt() -> None:
        while True:
            pass

    assert signal.SIGXCPU == in_executor(attempt, cpu_s=0.5).killed_by


def test_cpu_limit_cannot_be_ignored() -> None:
    """An executor that ignores SIGXCPU is killed one second later."""

    def attempt() -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        while True:
            pass

    assert signal.SIGKILL == in_executor(attempt, cpu_s=1).killed_by


def test_executor_dies_with_its_zygote() -> None:
    """No executor is left when the zygote is gone."""

    def be_zygote(report_fd: int) -> None:
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=report_fd)
            write_line(report_fd, {"locked": True})
            time.sleep(60)
            write_line(report_fd, {"survived": True})

        fork(be_executor, report_fd)
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert "" == pipe.read()


# Layers that others hide: what stays shut when there is no filter at all


def without_seccomp() -> None:
    """Take seccomp away, so that the other layers show."""
    refuse_outside("seccomp", errno.EPERM)


def connect() -> None:
    """Connect to a port of this machine on which nobody listens."""
    with socket.socket() as client:
        client.connect(("127.0.0.1", 1))


def bind() -> None:
    """Take a port of this machine."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


def test_landlock_is_a_wall_of_its_own() -> None:
    """Without the filter, Landlock keeps files, TCP and signals out of reach."""
    if in_executor(int).layers.landlock_abi < 6:
        pytest.skip("this kernel's Landlock does not cover all of it")
    names = ("open", "open-null", "open-own-maps", "create", "listdir", "mkdir", "symlink")
    attempts = {name: FILES[name] for name in names}
    attempts |= {"exec": PROCESSES["exec"], "connect": connect, "bind": bind}
    attempts |= {name: OTHERS[name] for name in ("kill-zygote", "ptrace-zygote")}

    outcome = in_executor(lambda: escapes(attempts), without_seccomp)

    assert 0 == outcome.layers.level
    assert {} == outcome.value


def test_limits_are_a_wall_of_their_own() -> None:
    """Without the filter, limits refuse a fork, a thread and many descriptors."""

    def attempt() -> list[object]:
        files = described(lambda: [os.dup(0) for _ in range(CHILD_FILES)])
        return [described(fork_and_forget)["errno"], described(start_thread)["raised"], files]

    too_many = {"raised": "OSError", "errno": errno.EMFILE}

    assert [errno.EAGAIN, "RuntimeError", too_many] == in_executor(attempt, without_seccomp).value


def test_limits_can_only_go_down() -> None:
    """Without the filter, no limit can be raised again, and no file or core dump can grow."""
    attempts = {name: UNLOCKING[name] for name in ("more-memory", "more-processes", "more-files")}
    nothing = (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK)

    outcome = in_executor(
        lambda: [escapes(attempts), *(resource.getrlimit(which) for which in nothing)],
        without_seccomp,
    )

    assert [{}, [0, 0], [0, 0], [0, 0]] == outcome.value


def test_zygote_dies_with_the_judge() -> None:
    """No zygote is left when the judge is gone, even one that waits for nothing."""

    def be_judge(report_fd: int) -> None:
        def be_zygote() -> None:
            lock_zygote()
            write_line(report_fd, {"locked": True})
            time.sleep(60)
            write_line(report_fd, {"survived": True})

        fork(be_zygote, report_fd)
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_judge)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert "" == pipe.read()


# Honest work


def large_sets() -> int:
    """Work with sets like a puzzle solver does."""
    cells = {(row, column) for row in range(200) for column in range(200)}
    return len(cells & {(column, row) for row, column in cells if row < column} | {(0, 0)})


def deep_recursion() -> int:
    """Recurse as deep as the default limit of Python lets a program go."""

    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    return depth(900)


def printing() -> str:
    """Print to a replaced standard output."""
    out = io.StringIO()
    with redirect_stdout(out):
        print("wit", 3, sep="-")
    return out.getvalue()


def garbage() -> bool:
    """Collect objects that refer to each other."""
    ring: list[object] = []
    ring.append(ring)
    del ring
    return gc.collect() >= 0


def big_and_back() -> int:
    """Allocate 50 MB a few times over, which needs the memory to be given back."""
    return sum(len(bytearray(50_000_000)) for _ in range(10))


def clocks() -> list[bool]:
    """Read the clocks."""
    readings = (time.time(), time.monotonic(), time.process_time(), time.perf_counter())
    return [reading > 0 for reading in (*readings, time.thread_time(), time.localtime().tm_year)]


def sleeping() -> bool:
    """Sleep, for no time and for a little."""
    time.sleep(0)
    time.sleep(0.001)
    return True


def signals() -> bool:
    """Set a handler, as programs with a Ctrl-C message do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def randomness() -> list[int]:
    """Draw and shuffle, seeded and not."""
    drawn = random.Random(7)
    random.seed()
    random.shuffle(cells := list(range(50)))
    return [drawn.randrange(1000), len(set(cells)), len(os.urandom(16))]


def polling() -> list[object]:
    """Wait for a descriptor that is ready."""
    poller = select.poll()
    poller.register(0, select.POLLIN)
    return [len(poller.poll(0)), len(select.select([0], [], [], 0)[0])]


def surroundings_of_a_program() -> list[object]:
    """Ask where and what we are."""
    processors = os.cpu_count() or 1
    return [os.getcwd(), processors >= 1, os.getpid() > 1, len(platform.node()) >= 0]


def missing_files() -> list[bool]:
    """Ask for files in the ways that do not raise."""
    return [os.path.exists("/etc/passwd"), os.path.isfile("/etc"), os.access("/", os.R_OK)]


def missing_module() -> str:
    """Import a module that nobody has imported yet."""
    try:
        __import__("grader_has_no_such_module")
    except ImportError as error:
        return type(error).__name__
    return "imported"


HONEST: Final[dict[str, tuple[Callable[[], object], object]]] = {
    "sets": (large_sets, 19901),
    "recursion": (deep_recursion, 900),
    "print": (printing, "wit-3\n"),
    "garbage": (garbage, True),
    "memory": (big_and_back, 500_000_000),
    "clocks": (clocks, [True] * 6),
    "sleep": (sleeping, True),
    "signals": (signals, True),
    "random": (randomness, [random.Random(7).randrange(1000), 50, 16]),
    "poll": (polling, [1, 1]),
    "surroundings": (surroundings_of_a_program, ["/", True, True, True]),
    "missing-files": (missing_files, [False, False, False]),
    "missing-module": (missing_module, "ModuleNotFoundError"),
    "json": (lambda: json.loads(json.dumps({"a": [1, 2.5, None]})), {"a": [1, 2.5, None]}),
    "re": (lambda: re.sub(r"(\w)(\w)", r"\2\1", "abcd"), "badc"),
    "decimal": (lambda: str(decimal.Decimal(1) / 7), "0.1428571428571428571428571429"),
    "hash": (lambda: hashlib.sha256(b"x").hexdigest()[:8], "2d711642"),
    "counter": (lambda: collections.Counter("abca").most_common(1), [["a", 2]]),
    "compile": (lambda: eval(compile("[n * n for n in range(4)]", "x", "eval")), [0, 1, 4, 9]),
    "isatty": (lambda: os.isatty(1), False),
}


@everywhere
def test_honest_work_goes_on(surroundings: Callable[[], object]) -> None:
    """What a submission may do gives the same as outside, all in one executor."""
    outcome = in_executor(
        lambda: {name: described(work) for name, (work, _) in HONEST.items()}, surroundings
    )

    assert {name: {"value": expected} for name, (_, expected) in HONEST.items()} == outcome.value


@everywhere
def test_kept_socket_reads_and_writes(surroundings: Callable[[], object]) -> None:
    """An executor talks over the one socket it keeps, both ways and in bulk."""
    ours, theirs = socket.socketpair()
    size, piece = 3 * MIB, 32 * 1024

    def be_zygote(_: int) -> None:
        ours.close()
        surroundings()
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=theirs.fileno())
            fd, echoed = theirs.fileno(), 0
            while echoed < size:
                echoed += os.write(fd, os.read(fd, 65536).upper())

        os.waitpid(fork(be_executor, theirs.fileno()), 0)

    pid, read_fd = fork_with_pipe(be_zygote)
    theirs.close()
    received = b""
    with ours:
        while len(received) < size:
            ours.sendall(b"x" * piece)
            received += exactly(ours, piece)
    os.waitpid(pid, 0)
    os.close(read_fd)
    assert b"X" * size == received


def exactly(sock: socket.socket, count: int) -> bytes:
    """Return the next `count` bytes that arrive."""
    received = b""
    while len(received) < count:
        arrived = sock.recv(count - len(received))
        assert arrived
        received += arrived
    return received


def fork_with_pipe(run: Callable[[int], object]) -> tuple[int, int]:
    """Run `run` in a fork with the writing end of a pipe; return its pid and the reading end."""
    read_fd, write_fd = os.pipe()

    def be_fork() -> None:
        os.close(read_fd)
        run(write_fd)

    pid = fork(be_fork, write_fd)
    os.close(write_fd)
    return pid, read_fd


# The zygote


@everywhere
def test_locked_zygote_does_its_work(surroundings: Callable[[], object]) -> None:
    """A locked zygote receives sockets, forks executors that answer on them, and reaps them."""
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def be_zygote(_: int) -> None:
        control.close()
        surroundings()
        lock = lock_zygote()
        for _session in range(3):
            fds = socket.recv_fds(theirs, 16, 1)[1]
            channel = socket.socket(fileno=fds[0])

            def be_executor(fd: int = channel.fileno()) -> None:
                lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=fd)
                write_line(fd, {"sum": sum(range(10))})

            pid = fork(be_executor, channel.fileno())
            channel.close()
            _, status, usage = os.wait4(pid, 0)
            theirs.send(json.dumps([status, usage.ru_maxrss > 0]).encode())

    pid, read_fd = fork_with_pipe(be_zygote)
    theirs.close()
    with control:
        for _ in range(3):
            ours, far = socket.socketpair()
            socket.send_fds(control, [b"F"], [far.fileno()])
            far.close()
            with ours:
                assert {"sum": 45} == json.loads(ours.recv(100))
            assert [0, True] == json.loads(control.recv(100))
    os.waitpid(pid, 0)
    os.close(read_fd)


def test_judge_kills_an_executor() -> None:
    """The judge, who may be another user, ends an executor by pid and reads its CPU clock."""

    def be_zygote(report_fd: int) -> None:
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=report_fd)
            sum(range(1_000_000))
            write_line(report_fd, {"pid": os.getpid()})
            time.sleep(60)

        status = os.waitpid(fork(be_executor, report_fd), 0)[1]
        write_line(report_fd, {"killed_by": os.WTERMSIG(status)})

    zygote_pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        executor_pid = json.loads(pipe.readline())["pid"]
        assert time.clock_gettime(~executor_pid << 3 | 2) > 0
        assert 0 == os.stat(f"/proc/{executor_pid}/mem").st_uid
        os.kill(executor_pid, signal.SIGKILL)
        assert {"killed_by": signal.SIGKILL} == json.loads(pipe.readline())
    os.waitpid(zygote_pid, 0)


def test_zygote_cannot_kill_or_read_files() -> None:
    """A locked zygote has given up files, signals and new sockets, as its executors have."""
    refused = in_zygote(
        lambda: [
            described(FILES["open"])["errno"],
            described(OTHERS["kill-init"])["errno"],
            described(SOCKETS["inet"])["errno"],
            described(PROCESSES["thread"])["raised"],
            described(PROCESSES["exec"])["errno"],
        ]
    )

    assert [errno.EACCES, errno.EPERM, errno.EPERM, "RuntimeError", errno.EACCES] == refused


@as_root_only
def test_root_becomes_nobody() -> None:
    """Started as root, the zygote keeps no uid, gid or group of it."""
    identity = in_zygote(
        lambda: [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        lambda: os.setgroups([0, 4]),
    )

    assert [NOBODY] * 6 == identity


@everywhere
def test_zygote_has_no_privileges(surroundings: Callable[[], object]) -> None:
    """Also a root that stays root keeps no capability, and others of its uid cannot debug it."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock_zygote()
        write_line(report_fd, {"locked": True})
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        owner = os.stat(f"/proc/{pid}/mem").st_uid
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    facts = dict(re.findall(r"^(\w+):\s*(\w+)$", status, re.MULTILINE))
    names = ("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp")
    assert [0, 0, 0, 0, 1, 2] == [int(facts[name], 16) for name in names]
    assert 0 == owner, "not dumpable: nobody of the same uid may look in"


def test_zygote_without_standard_descriptors() -> None:
    """A zygote that was started with 0-2 closed gives its executors /dev/null all the same."""
    outcome = in_executor(lambda: [os.write(fd, b"x") for fd in (0, 1, 2)], close_standard_fds)

    assert [1, 1, 1] == outcome.value


def close_standard_fds() -> None:
    """Close 0-2."""
    os.closerange(0, 3)


def make_root_of(folder: Path) -> None:
    """Go to a host with other devices and without /proc."""
    os.chroot(folder)
    os.chdir("/")


@as_root_only
def test_false_null_device_is_refused(tmp_path: Path) -> None:
    """A file in the place of /dev/null would let executors leave messages, so there is no lock."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "null").touch()

    (report,) = reports_of(lambda _: in_turn(lambda: make_root_of(tmp_path), lock_zygote))

    assert "/dev/null is not the null device on this host" == report["value"]


@as_root_only
def test_host_without_proc(tmp_path: Path) -> None:
    """Without /proc everything holds as well."""
    (tmp_path / "dev").mkdir()
    os.mknod(tmp_path / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))

    outcome = in_executor(lambda: escapes(FILES), lambda: make_root_of(tmp_path))

    assert ({}, 2) == (outcome.value, outcome.layers.level)


def test_zygote_with_a_thread_is_refused() -> None:
    """A zygote in which a thread runs cannot be forked safely, so it is not locked."""
    stop = threading.Event()

    def start_a_thread() -> None:
        threading.Thread(target=stop.wait, daemon=True).start()

    (report,) = reports_of(lambda _: in_turn(start_a_thread, lock_zygote))

    expected = {"raised": "LockdownError", "value": "the zygote runs 2 threads; it must run one"}
    assert expected == report


def test_zygote_cannot_be_locked_twice() -> None:
    """A second lock fails instead of pretending."""
    (report,) = reports_of(lambda _: in_turn(lock_zygote, lock_zygote))

    assert "LockdownError" == report["raised"]


# Failing closed


def failure_of_child(
    spoil: Callable[[ZygoteLock, int], ZygoteLock],
    surroundings: Callable[[], object] = as_root,
    **changes: object,
) -> str:
    """Return the message with which a child refuses a lock that was spoiled."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock = spoil(lock_zygote(), report_fd)
        options: dict[str, Any] = {"memory_bytes": 64 * MIB, "cpu_s": 10, "keep_fd": report_fd}

        def be_executor() -> None:
            lock_child(lock, **options | changes)
            write_line(report_fd, {"raised": None, "value": "it was locked"})

        os.waitpid(fork(be_executor, report_fd), 0)

    (report,) = reports_of(be_zygote)
    assert "LockdownError" == report["raised"], report
    message: str = report["value"]
    return message


def unspoiled(lock: ZygoteLock, _: int) -> ZygoteLock:
    """Leave the lock as it is."""
    return lock


def without_descriptors(lock: ZygoteLock, kept: int) -> ZygoteLock:
    """Lose what the zygote prepared: the Landlock ruleset and /dev/null."""
    os.closerange(3, kept)
    os.closerange(kept + 1, 64)
    return lock


def test_child_fails_without_its_ruleset() -> None:
    """A Landlock domain that cannot be entered ends the child."""
    expected = "Landlock: landlock_restrict_self in the child: Bad file descriptor"

    assert expected == failure_of_child(without_descriptors)


def test_child_fails_without_null_device() -> None:
    """A child that cannot cover 0-2 ends."""
    expected = "descriptors: dup3 in the child: Bad file descriptor"

    assert expected == failure_of_child(without_descriptors, without_landlock)


def test_child_fails_when_its_zygote_is_gone() -> None:
    """A child whose parent is not the zygote would outlive it, so it ends."""
    message = failure_of_child(lambda lock, _: replace(lock, zygote_pid=lock.zygote_pid + 1))

    assert "the zygote is gone" == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keep_fd": 1}, "keep_fd=1"),
        ({"keep_fd": -1}, "keep_fd=-1"),
        ({"memory_bytes": 0}, "memory_bytes=0"),
        ({"memory_bytes": 2**63}, "memory_bytes=9223372036854775808"),
        ({"cpu_s": 0}, "cpu_s=0"),
        ({"cpu_s": float("inf")}, "cpu_s=inf"),
        ({"cpu_s": float("nan")}, "cpu_s=nan"),
    ],
)
def test_child_fails_on_nonsense(changes: dict[str, Any], message: str) -> None:
    """Options that cannot be meant end the child, whoever sent them."""
    assert message in failure_of_child(unspoiled, **changes)


def test_child_fails_outside_a_locked_zygote() -> None:
    """A lock that says more than is in force ends the child."""
    program = seccomp.Program(seccomp.child_filter(this()))

    def be_unlocked(report_fd: int) -> None:
        pretended = ZygoteLock(
            layers=replace(NONE, seccomp=True),
            zygote_pid=os.getppid(),
            limits=rlimits.ChildLimits(),
            final_calls=lockdown.filter_calls(program),
        )
        lock_child(pretended, memory_bytes=MIB, cpu_s=1, keep_fd=report_fd)

    (report,) = reports_of(be_unlocked)

    assert "seccomp: prctl in the child: Success" == report["value"]


# Layers


ALL: Final = Layers(
    no_new_privs=True,
    uid_dropped=True,
    seccomp=True,
    landlock_abi=7,
    rlimits=True,
    parent_death_signal=True,
)


@pytest.mark.parametrize(
    ("layers", "level"),
    [
        (ALL, 2),
        (replace(ALL, uid_dropped=False), 2),
        (replace(ALL, landlock_abi=0), 1),
        (replace(ALL, seccomp=False), 0),
        (replace(ALL, no_new_privs=False), 0),
        (replace(ALL, rlimits=False), 0),
        (NONE, 0),
    ],
)
def test_level(layers: Layers, level: int) -> None:
    """Landlock makes the difference between 2 and 1; without the core there is no isolation."""
    assert level == layers.level


def test_layers_survive_the_wire() -> None:
    """Layers travel as JSON."""
    assert ALL == Layers.from_json(json.loads(json.dumps(ALL.to_json())))


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {**ALL.to_json(), "surplus": True},
        {**ALL.to_json(), "seccomp": 1},
        {**ALL.to_json(), "seccomp": "yes"},
        {**ALL.to_json(), "landlock_abi": True},
    ],
)
def test_malformed_layers_are_refused(data: object) -> None:
    """Nothing is guessed about isolation."""
    with pytest.raises(ValueError, match="not"):
        Layers.from_json(data)


@everywhere
def test_probe_finds_what_the_lock_reports(surroundings: Callable[[], object]) -> None:
    """What the probe felt is what a zygote on the same host says is in force."""
    (probed,) = reports_of(
        lambda fd: in_turn(surroundings, lambda: write_line(fd, probe_layers().to_json()))
    )

    assert in_executor(int, surroundings).layers == Layers.from_json(probed)


def test_probe_without_seccomp() -> None:
    """On a host that lets nobody load a filter the level is 0."""

    def be_probed(fd: int) -> None:
        refuse_outside("seccomp", errno.EPERM)
        layers = probe_layers()
        write_line(fd, {"level": layers.level, "seccomp": layers.seccomp})

    assert [{"level": 0, "seccomp": False}] == reports_of(be_probed)


@as_root_only
def test_probe_without_landlock() -> None:
    """On a host without Landlock the level is 1."""

    def be_probed(fd: int) -> None:
        without_landlock()
        write_line(fd, {"level": probe_layers().level})

    assert [{"level": 1}] == reports_of(be_probed)


def test_probe_on_a_host_that_cannot_lock() -> None:
    """Where a lock fails, the probe finds nothing, and says so in time."""

    def be_probed(fd: int) -> None:
        refuse_outside("capset", errno.EPERM)
        write_line(fd, probe_layers().to_json())

    (report,) = reports_of(be_probed)
    assert NONE == Layers.from_json(report)


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("sys.platform = 'darwin'; ctypes.CDLL = None", id="macos"),
        pytest.param("sys.platform = 'win32'; ctypes.CDLL = None; del os.uname", id="windows"),
        pytest.param("os.uname = lambda: argparse.Namespace(machine='riscv64')", id="riscv"),
    ],
)
def test_other_systems_have_no_layers(host: str) -> None:
    """The modules load on other systems and processors, where every layer is reported missing."""
    program = f"""
import argparse, ctypes, os, sys
{host}
sys.modules["resource"] = None
from grader.executor import lockdown, probe
lock = lockdown.lock_zygote()
lockdown.lock_child(lock, memory_bytes=1, cpu_s=1, keep_fd=3)
print(lock.layers == probe.probe_layers(), lock.layers.level)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(lockdown.__file__).parents[2],
    )

    assert "True 0\n" == done.stdout


# The policy, for every machine


def answer(program: bytes, audit_number: int, number: int, args: Iterable[int] = ()) -> int:
    """Return what a filter says, by running it as the kernel does."""
    padded = [*args, *(0,) * 6][:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, audit_number, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        operation, then, otherwise, k = code[at]
        at += 1
        if operation == 0x20:
            (loaded,) = struct.unpack_from("=I", data, k)
        elif operation == 0x05:
            at += k
        elif operation == 0x15:
            at += then if loaded == k else otherwise
        elif operation == 0x35:
            at += then if loaded >= k else otherwise
        else:
            assert operation == 0x06
            return int(k)


machines = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())


def granted(machine: Machine) -> Iterator[tuple[Grant, int]]:
    """Yield the calls that are granted on a machine."""
    for grant in GRANTS:
        for name in grant.calls.split():
            if name in machine.numbers:
                yield grant, machine.numbers[name]


def numbers_with(args: Iterable[Arg], position: int) -> list[int]:
    """Return six arguments that satisfy `args`, by the number at `position` in each."""
    values = [0] * 6
    for arg in args:
        values[arg.index] = arg.one_of[position % len(arg.one_of)]
    return values


@machines
def test_zygote_filter_allows_what_is_granted(machine: Machine) -> None:
    """Each granted call passes the zygote filter, with each of its arguments."""
    program = seccomp.zygote_filter(machine)
    for grant, number in granted(machine):
        for position in range(max([1, *(len(arg.one_of) for arg in grant.args)])):
            args = numbers_with(grant.args, position)
            assert seccomp.ALLOW == answer(program, machine.audit_number, number, args), grant


@machines
def test_zygote_filter_looks_at_every_bit_of_an_argument(machine: Machine) -> None:
    """A granted call with another argument is refused, also if only the high half differs."""
    program = seccomp.zygote_filter(machine)
    for grant, number in granted(machine):
        for arg in grant.args:
            for wrong in (arg.one_of[0] | 1 << 32, 0x7FFFFFFF, 2**64 - 1):
                args = numbers_with(grant.args, 0)
                args[arg.index] = wrong
                expected = seccomp.ERROR | grant.otherwise
                assert expected == answer(program, machine.audit_number, number, args), grant


@machines
def test_zygote_filter_refuses_what_is_denied(machine: Machine) -> None:
    """Each denied call gets the error that its row names."""
    program = seccomp.zygote_filter(machine)
    for denial in DENIALS:
        for name in denial.calls.split():
            if (number := machine.numbers.get(name)) is not None:
                expected = seccomp.ERROR | denial.error
                assert expected == answer(program, machine.audit_number, number), name


@machines
def test_zygote_filter_knows_no_other_call(machine: Machine) -> None:
    """Every number that no row names does not exist."""
    program = seccomp.zygote_filter(machine)
    named = set(machine.numbers.values())
    unknown = [number for number in range(2000) if number not in named]

    assert {seccomp.ERROR | errno.ENOSYS} == {
        answer(program, machine.audit_number, number) for number in unknown
    }


@machines
def test_zygote_filter_kills_foreign_calls(machine: Machine) -> None:
    """Calls by another table, even harmless ones, kill."""
    program = seccomp.zygote_filter(machine)
    getpid = machine.numbers["getpid"]
    foreign = [other.audit_number for other in MACHINES.values() if other != machine]

    assert {seccomp.KILL} == {
        *(answer(program, number, getpid) for number in (*foreign, 0x40000003, 0)),
        answer(program, machine.audit_number, getpid | 0x40000000),
        answer(program, machine.audit_number, -1),
    }


@machines
def test_child_filter_takes_away_what_is_the_zygotes(machine: Machine) -> None:
    """The child filter refuses each call that only the zygote is granted, and no other."""
    program = seccomp.child_filter(machine)
    for grant, number in granted(machine):
        expected = seccomp.ERROR | errno.EPERM if grant.zygote_only else seccomp.ALLOW
        assert expected == answer(program, machine.audit_number, number), grant


def test_each_call_has_one_row() -> None:
    """No call is named twice in the policy, and every number in the tables is used."""
    named = [name for row in (*GRANTS, *DENIALS) for name in row.calls.split()]

    assert [] == [name for name, times in collections.Counter(named).items() if times > 1]
    assert set(named) == {name for machine in MACHINES.values() for name in machine.numbers}


@pytest.mark.parametrize(
    ("machine_name", "header"),
    [
        ("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_the_kernel(machine_name: str, header: str) -> None:
    """The tables agree with the kernel's headers, where these are installed."""
    file = Path("/usr/include") / header
    if not file.exists():
        pytest.skip(f"{file} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", file.read_text(encoding="utf-8"))
    theirs = {name: int(number) for name, number in found}
    theirs["newfstatat"] = theirs.get("newfstatat", theirs.get("fstatat", -1))
    ours = MACHINES[machine_name].numbers
    younger_than_some_headers = {"fchmodat2"}

    assert {} == {
        name: (number, theirs.get(name))
        for name, number in ours.items()
        if theirs.get(name) != number and name not in younger_than_some_headers
    }
    assert set() == (set(MACHINES["x86_64"].numbers) & set(theirs)) - set(ours)
