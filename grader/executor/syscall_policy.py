"""The policy: the system calls that the zygote and its executors may make, with the reasons.

It is a table of two kinds of rows. A `Grant` allows calls, possibly only with certain arguments, or
only for the zygote (and its fresh child until `lock_child` has run). A `_Denial` refuses calls with
an error that Python turns into an exception which students and teachers understand. All other calls
fail with ENOSYS, which also makes the C library fall back from a new call (`clone3`) to an older
one whose arguments the filter can see.

No call with a path is granted, not even `stat`: source text and data files arrive over the socket.
This *no-file mode* is the main wall, with Landlock as the second. `newfstatat` is refused although
glibc uses it for `fstat`, because the filter cannot see whether its path is empty, and with a path
it would reveal the size of any file. (So `os.fstat` works with some C libraries and not with
others.)

Arguments are compared as 64-bit numbers. The filter cannot follow pointers, so no rule depends on
the data at a pointer.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Final

SIGKILL: Final = 9  # not from `signal`, because this table must load on every platform
PR_SET_PDEATHSIG: Final = 1
SECCOMP_SET_MODE_FILTER: Final = 1

_FORK_FLAGS: Final = (
    0x01200011,  # glibc: CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD
    0x00000011,  # musl: SIGCHLD
)
_OWN_CLOCKS: Final = (0, 1, 2, 3, 4, 5, 6, 7, 11)  # other numbers are clocks of other processes
_FCNTL_COMMANDS: Final = (1, 2, 3)  # F_GETFD, F_SETFD, F_GETFL; never F_SETOWN
_IOCTL_REQUESTS: Final = (0x5450, 0x5451)  # FIONCLEX, FIOCLEX
_THREAD_FLAGS: Final = (
    0x003D0F00,  # glibc: exactly what the threads of a process share
    0x007D0F00,  # musl: also CLONE_DETACHED
)
_PRIVATE_FUTEX_OPERATIONS: Final = (
    128,  # FUTEX_WAIT_PRIVATE
    129,  # FUTEX_WAKE_PRIVATE
    137,  # FUTEX_WAIT_BITSET_PRIVATE
    138,  # FUTEX_WAKE_BITSET_PRIVATE
    393,  # FUTEX_WAIT_BITSET_PRIVATE with CLOCK_REALTIME
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arg:
    """A condition on one argument, which must have one of the allowed values."""

    index: int
    allowed_values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """System calls that are allowed, for `reason`."""

    reason: str
    calls: str
    """Names, separated by spaces."""
    args: tuple[Arg, ...] = ()
    """The conditions on arguments, which must all be met."""
    error_otherwise: int = errno.EPERM
    """The error number if a condition is not met."""
    zygote_only: bool = False
    """Whether `lock_child` makes the calls fail in executors."""
    is_noop: bool = False
    """Whether the calls do nothing and report success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Denial:
    """System calls that are refused with `error`, for `reason`."""

    reason: str
    calls: str
    error: int = errno.EPERM


GRANTS: Final = (
    Grant(
        reason="the interpreter's own memory, which RLIMIT_AS limits",
        calls="brk mmap munmap mremap mprotect madvise",
    ),
    Grant(
        reason="use of the open descriptors: /dev/null and one socket",
        calls="read write readv writev close fstat lseek poll ppoll select pselect6",
    ),
    Grant(
        reason="the flags of those descriptors. F_SETOWN could send signals to any process, and a "
        "flag that F_SETFL sets on /dev/null would be visible to all executors of a zygote, as a "
        "way to pass on a bit",
        calls="fcntl",
        args=(Arg(index=1, allowed_values=_FCNTL_COMMANDS),),
    ),
    Grant(
        reason="close-on-exec; no FIONBIO (see F_SETFL), no terminal (TIOCSTI), and `isatty` "
        "returns False",
        calls="ioctl",
        args=(Arg(index=1, allowed_values=_IOCTL_REQUESTS),),
        error_otherwise=errno.ENOTTY,
    ),
    Grant(
        reason="the interpreter's locks within one process",
        calls="sched_yield set_robust_list set_tid_address rseq gettid",
    ),
    Grant(
        reason="the same; through other futexes, processes that map the same library could "
        "communicate",
        calls="futex",
        args=(Arg(index=1, allowed_values=_PRIVATE_FUTEX_OPERATIONS),),
    ),
    Grant(
        reason="its own signal handlers",
        calls="rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall",
    ),
    Grant(reason="reading the time, and waiting", calls="nanosleep gettimeofday time"),
    Grant(
        reason="the same, on its own clocks: a clock number can also refer to another process",
        calls="clock_gettime clock_getres clock_nanosleep",
        args=(Arg(index=0, allowed_values=_OWN_CLOCKS),),
    ),
    Grant(reason="random bytes, for `random`, `secrets` and `uuid`", calls="getrandom"),
    Grant(
        reason="facts about itself and the machine",
        calls="getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups "
        "uname getrusage times getcpu",
    ),
    Grant(reason="the current folder, which is always / since `lock_zygote`", calls="getcwd"),
    Grant(
        reason="how many processors it can use; another pid would show whether that process exists",
        calls="sched_getaffinity",
        args=(Arg(index=0, allowed_values=(0,)),),
    ),
    Grant(reason="exiting", calls="exit exit_group"),
    Grant(
        reason="a plain fork: no threads, no namespaces, no sibling (CLONE_PARENT)",
        calls="clone",
        args=(Arg(index=0, allowed_values=_FORK_FLAGS),),
        zygote_only=True,
    ),
    Grant(
        reason="forks, and reaps its executors (musl forks with `fork`)",
        calls="fork wait4",
        zygote_only=True,
    ),
    Grant(
        reason="receives an executor's socket from the judge, and wraps it in a Python object",
        calls="recvmsg getsockname getsockopt",
        zygote_only=True,
    ),
    Grant(
        reason="replies to the judge with `socket.send`; an address could name another socket",
        calls="sendto",
        args=(Arg(index=4, allowed_values=(0,)),),
        zygote_only=True,
    ),
    Grant(
        reason="puts /dev/null on 0-2 and closes everything else",
        calls="dup2 dup3 close_range",
        zygote_only=True,
    ),
    Grant(
        reason="gets killed with its parent, and cannot undo that",
        calls="prctl",
        args=(
            Arg(index=0, allowed_values=(PR_SET_PDEATHSIG,)),
            Arg(index=1, allowed_values=(SIGKILL,)),
        ),
        zygote_only=True,
    ),
    Grant(
        reason="lowers its own limits, but not those of other processes",
        calls="prlimit64",
        args=(Arg(index=0, allowed_values=(0,)),),
        zygote_only=True,
    ),
    Grant(
        reason="enters the Landlock domain that was prepared for it",
        calls="landlock_restrict_self",
        zygote_only=True,
    ),
    Grant(
        reason="loads the second filter; without flags, so without a listener that handles calls",
        calls="seccomp",
        args=(
            Arg(index=0, allowed_values=(SECCOMP_SET_MODE_FILTER,)),
            Arg(index=1, allowed_values=(0,)),
        ),
        zygote_only=True,
    ),
)

_METADATA: Final = (
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat "
    "setxattr lsetxattr fsetxattr"
)
GRANTS_FOR_TESTS: Final = (
    Grant(
        reason="files, as far as the room, Landlock and the user allow: tests read their own "
        "files, and write in one folder",
        calls="open openat creat stat lstat newfstatat statx statfs fstatfs access faccessat "
        "faccessat2 readlink readlinkat chdir fchdir getdents getdents64 mkdir mkdirat rmdir "
        "unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat ftruncate umask "
        "fsync fdatasync flock fallocate pread64 pwrite64 preadv pwritev sendfile copy_file_range",
    ),
    Grant(
        reason="output capture by pytest, and pipes between threads",
        calls="dup dup2 dup3 pipe pipe2",
    ),
    Grant(
        reason="descriptor flags, duplicate descriptors and file locks; never F_SETOWN",
        calls="fcntl",
        # F_DUPFD to F_SETFL, F_GETLK to F_SETLKW, F_OFD_GETLK to F_OFD_SETLKW, F_DUPFD_CLOEXEC
        args=(Arg(index=1, allowed_values=(0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)),),
    ),
    Grant(
        reason="socket timeouts; no terminal, and `isatty` returns False",
        calls="ioctl",
        args=(Arg(index=1, allowed_values=(*_IOCTL_REQUESTS, 0x5421)),),  # FIONBIO
        error_otherwise=errno.ENOTTY,
    ),
    Grant(
        reason="threads of this process, but no other process",
        calls="clone",
        args=(Arg(index=0, allowed_values=_THREAD_FLAGS),),
    ),
    Grant(reason="locks between its threads, and waiting for a thread to end", calls="futex"),
    Grant(
        reason="alarms for itself, such as time limits in tests", calls="setitimer getitimer alarm"
    ),
    Grant(
        reason="receives the socket of an executor, and communicates over it",
        calls="recvmsg recvfrom getsockname getsockopt",
    ),
    Grant(reason="the same", calls="sendto", args=(Arg(index=4, allowed_values=(0,)),)),
)
"""Grants for an instructor's tests in addition to those for executors."""
GRANTS_IN_ROOM: Final = (
    Grant(
        reason="in a room, all files outside their own folder are read-only",
        calls=f"truncate {_METADATA}",
    ),
)
GRANTS_WITHOUT_ROOM: Final = (
    Grant(
        reason="Landlock does not cover metadata, and copying a file sets it",
        calls=_METADATA,
        is_noop=True,
    ),
)

DENIALS: Final = (
    _Denial(
        reason="no-file mode: reading, or finding out the name, size or existence of anything",
        calls="open openat openat2 creat open_by_handle_at name_to_handle_at stat lstat "
        "newfstatat statx statfs access faccessat faccessat2 readlink readlinkat chdir chroot "
        "pivot_root getdents getdents64 getxattr lgetxattr listxattr llistxattr",
        error=errno.EACCES,
    ),
    _Denial(
        reason="no-file mode: changing anything",
        calls="mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink "
        "symlinkat mknod mknodat truncate chmod fchmodat fchmodat2 chown lchown fchownat utime "
        "utimes futimesat utimensat setxattr lsetxattr removexattr lremovexattr",
        error=errno.EACCES,
    ),
    _Denial(
        reason="no-file mode: watching anything",
        calls="inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark",
        error=errno.EACCES,
    ),
    _Denial(reason="running another program", calls="execve execveat", error=errno.EACCES),
    _Denial(
        reason="glibc and musl try this first, and after ENOSYS use `clone`, whose flags are not "
        "behind a pointer",
        calls="clone3",
        error=errno.ENOSYS,
    ),
    _Denial(
        reason="file operations on descriptors that an executor never has",
        calls="fchdir fchmod fchown ftruncate fallocate flock fsync fdatasync fsetxattr fgetxattr "
        "flistxattr fremovexattr fstatfs sync syncfs umask sendfile copy_file_range splice tee "
        "vmsplice pread64 pwrite64 preadv pwritev",
    ),
    _Denial(
        reason="new processes, other namespaces, process groups",
        calls="vfork unshare setns setsid setpgid getsid getpgid getpgrp waitid",
    ),
    _Denial(
        reason="signals to any process, since the judge, the zygote and all executors can share a "
        "uid. The judge kills, by pid",
        calls="kill tkill tgkill pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo alarm "
        "setitimer getitimer timer_create",
    ),
    _Denial(
        reason="inspecting other processes",
        calls="ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp "
        "pidfd_open pidfd_getfd get_robust_list",
    ),
    _Denial(
        reason="the network, and every socket except the one it was given",
        calls="socket socketpair connect bind listen accept accept4 sendmsg sendmmsg recvfrom "
        "recvmmsg getpeername setsockopt shutdown",
    ),
    _Denial(
        reason="new descriptors: hidden files, pipes, kernel queues",
        calls="dup memfd_create memfd_secret pipe pipe2 eventfd eventfd2 signalfd signalfd4 "
        "timerfd_create epoll_create epoll_create1 userfaultfd",
    ),
    _Denial(
        reason="large and recent parts of the kernel, where most escapes are found",
        calls="io_uring_setup io_uring_enter io_uring_register io_setup bpf perf_event_open "
        "landlock_create_ruleset landlock_add_rule keyctl add_key request_key",
    ),
    _Denial(
        reason="administering the machine",
        calls="mount umount2 mount_setattr move_mount open_tree fsopen fsmount fsconfig fspick "
        "swapon swapoff quotactl acct init_module finit_module delete_module kexec_load "
        "kexec_file_load reboot syslog iopl ioperm modify_ldt settimeofday clock_settime "
        "clock_adjtime adjtimex sethostname setdomainname vhangup personality",
    ),
    _Denial(
        reason="another identity",
        calls="setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid "
        "capset capget",
    ),
    _Denial(
        reason="limits and priorities, which can also be set for other processes of the same uid",
        calls="getrlimit setrlimit setpriority getpriority sched_setscheduler sched_setparam "
        "sched_setattr sched_setaffinity ioprio_set",
    ),
    _Denial(
        reason="memory and messages shared between processes",
        calls="shmget shmat shmctl semget semop semctl msgget msgsnd msgrcv msgctl mq_open "
        "mq_unlink",
    ),
    _Denial(
        reason="pinning or moving memory, or finding out what is in the page cache",
        calls="mlock mlock2 mlockall mincore msync mbind set_mempolicy move_pages migrate_pages "
        "remap_file_pages",
    ),
)
