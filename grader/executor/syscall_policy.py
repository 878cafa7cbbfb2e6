"""The system calls that the zygote and its executors may make, and why: the policy, as rows.

Read it as two lists. A `Grant` allows calls, perhaps only with certain arguments, or only for the
zygote (and its fresh child until `lock_child` has run). A `_Denial` refuses calls with an error
that Python turns into an exception students and teachers understand. All other calls fail with
ENOSYS, which also makes the C library fall back from a new call (`clone3`) to the old one, whose
arguments the filter can see.

No call that takes a path is granted, not even `stat`: source text and data files arrive over the
socket. This *no-file mode* is the main wall; Landlock stands behind it. `newfstatat` is refused
although glibc uses it for `fstat`: the filter cannot see whether its path is empty, and would give
away the size of any file. (So `os.fstat` works with some C libraries and not with others.)

Arguments are compared as 64-bit numbers. The filter cannot follow pointers, so nothing here
depends on what a pointer points to.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Final

SIGKILL: Final = 9  # not from `signal`: this table must load on every platform
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
    0x003D0F00,  # glibc: what all threads of a process share, and no more
    0x007D0F00,  # musl: CLONE_DETACHED, too
)
_PRIVATE_FUTEX_OPERATIONS: Final = (
    128,  # FUTEX_WAIT_PRIVATE
    129,  # FUTEX_WAKE_PRIVATE
    137,  # FUTEX_WAIT_BITSET_PRIVATE
    138,  # FUTEX_WAKE_BITSET_PRIVATE
    393,  # FUTEX_WAIT_BITSET_PRIVATE, on the clock of the day
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arg:
    """A condition on one argument: it must be one of these numbers."""

    index: int
    one_of: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """System calls that are allowed, for `reason`."""

    reason: str
    calls: str
    """Names, separated by spaces."""
    args: tuple[Arg, ...] = ()
    """All of these conditions must hold."""
    otherwise: int = errno.EPERM
    """The error if they do not."""
    zygote_only: bool = False
    """Whether `lock_child` takes them away."""
    is_idle: bool = False
    """Whether they do nothing and report success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Denial:
    """System calls that are refused with `error`, for `reason`."""

    reason: str
    calls: str
    error: int = errno.EPERM


GRANTS: Final = (
    Grant(
        reason="the interpreter's own memory; RLIMIT_AS bounds it",
        calls="brk mmap munmap mremap mprotect madvise",
    ),
    Grant(
        reason="use of descriptors it already holds: /dev/null and one socket",
        calls="read write readv writev close fstat lseek poll ppoll select pselect6",
    ),
    Grant(
        reason="flags of those descriptors; F_SETOWN would send signals to anybody, and what "
        "F_SETFL sets of /dev/null all executors of a zygote would see: a way to pass on a bit",
        calls="fcntl",
        args=(Arg(index=1, one_of=_FCNTL_COMMANDS),),
    ),
    Grant(
        reason="close-on-exec; no FIONBIO (see F_SETFL), no terminal (TIOCSTI), and `isatty` "
        "answers no",
        calls="ioctl",
        args=(Arg(index=1, one_of=_IOCTL_REQUESTS),),
        otherwise=errno.ENOTTY,
    ),
    Grant(
        reason="locks of the interpreter within one process",
        calls="sched_yield set_robust_list set_tid_address rseq gettid",
    ),
    Grant(
        reason="the same; one that is not private can be heard by whoever maps the same library",
        calls="futex",
        args=(Arg(index=1, one_of=_PRIVATE_FUTEX_OPERATIONS),),
    ),
    Grant(
        reason="signal handlers of its own",
        calls="rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall",
    ),
    Grant(reason="what time it is, and waiting", calls="nanosleep gettimeofday time"),
    Grant(
        reason="the same, on clocks of its own: a clock number can also name another process",
        calls="clock_gettime clock_getres clock_nanosleep",
        args=(Arg(index=0, one_of=_OWN_CLOCKS),),
    ),
    Grant(reason="random bytes, for `random`, `secrets` and `uuid`", calls="getrandom"),
    Grant(
        reason="facts about itself and the machine",
        calls="getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups "
        "uname getrusage times getcpu",
    ),
    Grant(reason="where it is: always /, since `lock_zygote` went there", calls="getcwd"),
    Grant(
        reason="how many processors it may use; with another pid it tells who exists",
        calls="sched_getaffinity",
        args=(Arg(index=0, one_of=(0,)),),
    ),
    Grant(reason="its end", calls="exit exit_group"),
    Grant(
        reason="a plain fork: no threads, no namespaces, no sibling (CLONE_PARENT)",
        calls="clone",
        args=(Arg(index=0, one_of=_FORK_FLAGS),),
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
        reason="answers the judge with `socket.send`; an address could name another socket",
        calls="sendto",
        args=(Arg(index=4, one_of=(0,)),),
        zygote_only=True,
    ),
    Grant(
        reason="puts /dev/null on 0-2 and closes everything else",
        calls="dup2 dup3 close_range",
        zygote_only=True,
    ),
    Grant(
        reason="asks to die with its parent, and cannot take that back",
        calls="prctl",
        args=(Arg(index=0, one_of=(PR_SET_PDEATHSIG,)), Arg(index=1, one_of=(SIGKILL,))),
        zygote_only=True,
    ),
    Grant(
        reason="lowers its own limits, nobody else's",
        calls="prlimit64",
        args=(Arg(index=0, one_of=(0,)),),
        zygote_only=True,
    ),
    Grant(
        reason="enters the Landlock domain that was prepared for it",
        calls="landlock_restrict_self",
        zygote_only=True,
    ),
    Grant(
        reason="loads the second filter; no flags, so no listener that answers calls by hand",
        calls="seccomp",
        args=(Arg(index=0, one_of=(SECCOMP_SET_MODE_FILTER,)), Arg(index=1, one_of=(0,))),
        zygote_only=True,
    ),
)

_METADATA: Final = (
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat "
    "setxattr lsetxattr fsetxattr"
)
OF_TESTS: Final = (
    Grant(
        reason="files, as far as the room, Landlock and the user let them: tests read what they "
        "are made of, and write in a folder of their own",
        calls="open openat creat stat lstat newfstatat statx statfs fstatfs access faccessat "
        "faccessat2 readlink readlinkat chdir fchdir getdents getdents64 mkdir mkdirat rmdir "
        "unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat ftruncate umask "
        "fsync fdatasync flock fallocate pread64 pwrite64 preadv pwritev sendfile copy_file_range",
    ),
    Grant(
        reason="what pytest captures output by, and pipes between threads",
        calls="dup dup2 dup3 pipe pipe2",
    ),
    Grant(
        reason="flags of descriptors, copies and locks of files; never F_SETOWN",
        calls="fcntl",
        args=(Arg(index=1, one_of=(0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)),),
    ),
    Grant(
        reason="waiting for a socket no longer than so; no terminal, and `isatty` answers no",
        calls="ioctl",
        args=(Arg(index=1, one_of=(*_IOCTL_REQUESTS, 0x5421)),),  # FIONBIO
        otherwise=errno.ENOTTY,
    ),
    Grant(
        reason="threads of this process; never another process",
        calls="clone",
        args=(Arg(index=0, one_of=_THREAD_FLAGS),),
    ),
    Grant(reason="locks between its threads, and that one has ended", calls="futex"),
    Grant(
        reason="alarms for itself, as time limits of tests are", calls="setitimer getitimer alarm"
    ),
    Grant(
        reason="receives the socket of an executor, and talks over it",
        calls="recvmsg recvfrom getsockname getsockopt",
    ),
    Grant(reason="the same", calls="sendto", args=(Arg(index=4, one_of=(0,)),)),
)
"""Grants for an instructor's tests in addition to those for executors."""
OF_TESTS_IN_ROOM: Final = (
    Grant(reason="in a room all that is not theirs is read-only", calls=f"truncate {_METADATA}"),
)
OF_TESTS_OUTSIDE: Final = (
    Grant(
        reason="Landlock does not look at them; whoever copies a file asks for them",
        calls=_METADATA,
        is_idle=True,
    ),
)

DENIALS: Final = (
    _Denial(
        reason="no-file mode: reading, or learning the name, size or existence of anything",
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
        reason="glibc and musl try this first, and take ENOSYS as the hint to use `clone`, whose "
        "flags are not behind a pointer",
        calls="clone3",
        error=errno.ENOSYS,
    ),
    _Denial(
        reason="file operations on a descriptor that one process should never hold",
        calls="fchdir fchmod fchown ftruncate fallocate flock fsync fdatasync fsetxattr fgetxattr "
        "flistxattr fremovexattr fstatfs sync syncfs umask sendfile copy_file_range splice tee "
        "vmsplice pread64 pwrite64 preadv pwritev",
    ),
    _Denial(
        reason="new processes, other namespaces, process groups",
        calls="vfork unshare setns setsid setpgid getsid getpgid getpgrp waitid",
    ),
    _Denial(
        reason="signals, to whomever: the judge, the zygote and every executor may share a uid. "
        "The judge kills, by pid",
        calls="kill tkill tgkill pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo alarm "
        "setitimer getitimer timer_create",
    ),
    _Denial(
        reason="looking into other processes",
        calls="ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp "
        "pidfd_open pidfd_getfd get_robust_list",
    ),
    _Denial(
        reason="the network, and every other socket than the one it got",
        calls="socket socketpair connect bind listen accept accept4 sendmsg sendmmsg recvfrom "
        "recvmmsg getpeername setsockopt shutdown",
    ),
    _Denial(
        reason="new descriptors: hidden files, pipes, queues of the kernel",
        calls="dup memfd_create memfd_secret pipe pipe2 eventfd eventfd2 signalfd signalfd4 "
        "timerfd_create epoll_create epoll_create1 userfaultfd",
    ),
    _Denial(
        reason="large, young parts of the kernel, where most escapes are found",
        calls="io_uring_setup io_uring_enter io_uring_register io_setup bpf perf_event_open "
        "landlock_create_ruleset landlock_add_rule keyctl add_key request_key",
    ),
    _Denial(
        reason="administration of the machine",
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
        reason="limits and priorities; those of other processes of the same uid too",
        calls="getrlimit setrlimit setpriority getpriority sched_setscheduler sched_setparam "
        "sched_setattr sched_setaffinity ioprio_set",
    ),
    _Denial(
        reason="memory and messages shared between processes",
        calls="shmget shmat shmctl semget semop semctl msgget msgsnd msgrcv msgctl mq_open "
        "mq_unlink",
    ),
    _Denial(
        reason="pinning memory, moving it about, or asking what others have in the page cache",
        calls="mlock mlock2 mlockall mincore msync mbind set_mempolicy move_pages migrate_pages "
        "remap_file_pages",
    ),
)
