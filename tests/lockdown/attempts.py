"""What an executor may try and must not get: name -> attempt.

All must end in an error that says no. Attempts are chosen such that a wall with a hole hurts
nobody: signal 0, the mode that is there, names that nobody has. An attempt that fails for such a
reason of its own counts as an escape.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hosts import CLONE_NEW, LIBC, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS
from locked_forks import described

from grader.executor import kernel

PR_SET_PDEATHSIG: Final = 1
CLONE_THREAD_FLAGS: Final = 0x003D0F00
REFUSED: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTTY}
HOLE: Final = f"/tmp/lockdown-test-{os.getpid()}"
"""Where files appear if a wall has a hole."""
PASSWD: Final = ctypes.create_string_buffer(b"/etc/passwd")
BUFFER: Final = ctypes.create_string_buffer(4096)
BUFFER_AT: Final = ctypes.addressof(BUFFER)
PASSWD_AT: Final = ctypes.addressof(PASSWD)
AT_FDCWD: Final = -100
AT_EMPTY_PATH: Final = 0x1000


def escapes(attempts: dict[str, Callable[[], object]]) -> dict[str, object]:
    """Make the attempts and return what came of those that were not refused."""
    results = {name: described(attempt) for name, attempt in attempts.items()}
    return {
        name: {key: str(value) for key, value in result.items()}
        for name, result in results.items()
        if result.get("errno") not in REFUSED and result.get("raised") != "RuntimeError"
    }


def call(name: str, *args: int) -> Callable[[], object]:
    """Return an attempt at a system call that Python does not wrap, if the machine has it."""
    return lambda: kernel.call(name, *args)


def path_call(name: str, *args: int) -> Callable[[], object]:
    """Return an attempt at a system call on /etc/passwd."""
    return call(name, PASSWD_AT, *args)


def raw(number: int, *args: int) -> int:
    """Make a system call by number."""
    result: int = LIBC.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "raw")
    return result


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
