"""System calls by name, through the C library's `syscall`.

The standard library has no wrappers for seccomp, Landlock, prctl or capset. On a host that is not
Linux, or whose system call numbers we do not have, every call fails with ENOSYS, just like a call
that an old kernel lacks.

For each supported machine, the tables have the numbers of the system calls that `syscall_policy`
names. Numbers differ from machine to machine, and a filter with the wrong numbers allows calls that
it should deny. x86_64 has its own, historical table; aarch64 uses the kernel's generic table, which
lacks calls that newer ones have replaced (no `open`, `stat`, `fork`, `dup2`, `poll` ...). The
filter refuses calls that are in no table, such as those of future kernels, as unknown.

The numbers are part of the kernel's interface to programs and never change. They were copied from
`asm/unistd_64.h` and `asm-generic/unistd.h`; a test compares them if those files are present.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One system call interface of the kernel, for one kind of processor."""

    name: str
    audit_number: int
    """The value of `seccomp_data.arch` for this interface, which identifies it."""
    numbers: Mapping[str, int]


def this_machine() -> Machine | None:
    """Return the machine that this runs on, or None if we do not have its system call numbers.

    A 32-bit interpreter on a 64-bit kernel uses a table that we do not have, although `uname`
    reports the 64-bit machine.
    """
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return None
    return MACHINES.get(os.uname().machine)


_NUMBERS: Final = """
accept 43 202                    accept4 288 242                  access 21 -
acct 163 89                      add_key 248 217                  adjtimex 159 171
alarm 37 -                       bind 49 200                      bpf 321 280
brk 12 214                       capget 125 90                    capset 126 91
chdir 80 49                      chmod 90 -                       chown 92 -
chroot 161 51                    clock_adjtime 305 266            clock_getres 229 114
clock_gettime 228 113            clock_nanosleep 230 115          clock_settime 227 112
clone 56 220                     clone3 435 435                   close 3 57
close_range 436 436              connect 42 203                   copy_file_range 326 285
creat 85 -                       delete_module 176 106            dup 32 23
dup2 33 -                        dup3 292 24                      epoll_create 213 -
epoll_create1 291 20             eventfd 284 -                    eventfd2 290 19
execve 59 221                    execveat 322 281                 exit 60 93
exit_group 231 94                faccessat 269 48                 faccessat2 439 439
fallocate 285 47                 fanotify_init 300 262            fanotify_mark 301 263
fchdir 81 50                     fchmod 91 52                     fchmodat 268 53
fchmodat2 452 452                fchown 93 55                     fchownat 260 54
fcntl 72 25                      fdatasync 75 83                  fgetxattr 193 10
finit_module 313 273             flistxattr 196 13                flock 73 32
fork 57 -                        fremovexattr 199 16              fsconfig 431 431
fsetxattr 190 7                  fsmount 432 432                  fsopen 430 430
fspick 433 433                   fstat 5 80                       fstatfs 138 44
fsync 74 82                      ftruncate 77 46                  futex 202 98
futimesat 261 -                  get_robust_list 274 100          getcpu 309 168
getcwd 79 17                     getdents 78 -                    getdents64 217 61
getegid 108 177                  geteuid 107 175                  getgid 104 176
getgroups 115 158                getitimer 36 102                 getpeername 52 205
getpgid 121 155                  getpgrp 111 -                    getpid 39 172
getppid 110 173                  getpriority 140 141              getrandom 318 278
getresgid 120 150                getresuid 118 148                getrlimit 97 163
getrusage 98 165                 getsid 124 156                   getsockname 51 204
getsockopt 55 209                gettid 186 178                   gettimeofday 96 169
getuid 102 174                   getxattr 191 8                   init_module 175 105
inotify_add_watch 254 27         inotify_init 253 -               inotify_init1 294 26
io_setup 206 0                   io_uring_enter 426 426           io_uring_register 427 427
io_uring_setup 425 425           ioctl 16 29                      ioperm 173 -
iopl 172 -                       ioprio_set 251 30                kcmp 312 272
kexec_file_load 320 294          kexec_load 246 104               keyctl 250 219
kill 62 129                      landlock_add_rule 445 445        landlock_create_ruleset 444 444
landlock_restrict_self 446 446   lchown 94 -                      lgetxattr 192 9
link 86 -                        linkat 265 37                    listen 50 201
listxattr 194 11                 llistxattr 195 12                lremovexattr 198 15
lseek 8 62                       lsetxattr 189 6                  lstat 6 -
madvise 28 233                   mbind 237 235                    memfd_create 319 279
memfd_secret 447 447             migrate_pages 256 238            mincore 27 232
mkdir 83 -                       mkdirat 258 34                   mknod 133 -
mknodat 259 33                   mlock 149 228                    mlock2 325 284
mlockall 151 230                 mmap 9 222                       modify_ldt 154 -
mount 165 40                     mount_setattr 442 442            move_mount 429 429
move_pages 279 239               mprotect 10 226                  mq_open 240 180
mq_unlink 241 181                mremap 25 216                    msgctl 71 187
msgget 68 186                    msgrcv 70 188                    msgsnd 69 189
msync 26 227                     munmap 11 215                    name_to_handle_at 303 264
nanosleep 35 101                 newfstatat 262 79                open 2 -
open_by_handle_at 304 265        open_tree 428 428                openat 257 56
openat2 437 437                  perf_event_open 298 241          personality 135 92
pidfd_getfd 438 438              pidfd_open 434 434               pidfd_send_signal 424 424
pipe 22 -                        pipe2 293 59                     pivot_root 155 41
poll 7 -                         ppoll 271 73                     prctl 157 167
pread64 17 67                    preadv 295 69                    prlimit64 302 261
process_madvise 440 440          process_mrelease 448 448         process_vm_readv 310 270
process_vm_writev 311 271        pselect6 270 72                  ptrace 101 117
pwrite64 18 68                   pwritev 296 70                   quotactl 179 60
read 0 63                        readlink 89 -                    readlinkat 267 78
readv 19 65                      reboot 169 142                   recvfrom 45 207
recvmmsg 299 243                 recvmsg 47 212                   remap_file_pages 216 234
removexattr 197 14               rename 82 -                      renameat 264 38
renameat2 316 276                request_key 249 218              restart_syscall 219 128
rmdir 84 -                       rseq 334 293                     rt_sigaction 13 134
rt_sigprocmask 14 135            rt_sigqueueinfo 129 138          rt_sigreturn 15 139
rt_tgsigqueueinfo 297 240        sched_getaffinity 204 123        sched_setaffinity 203 122
sched_setattr 314 274            sched_setparam 142 118           sched_setscheduler 144 119
sched_yield 24 124               seccomp 317 277                  select 23 -
semctl 66 191                    semget 64 190                    semop 65 193
sendfile 40 71                   sendmmsg 307 269                 sendmsg 46 211
sendto 44 206                    set_mempolicy 238 237            set_robust_list 273 99
set_tid_address 218 96           setdomainname 171 162            setfsgid 123 152
setfsuid 122 151                 setgid 106 144                   setgroups 116 159
sethostname 170 161              setitimer 38 103                 setns 308 268
setpgid 109 154                  setpriority 141 140              setregid 114 143
setresgid 119 149                setresuid 117 147                setreuid 113 145
setrlimit 160 164                setsid 112 157                   setsockopt 54 208
settimeofday 164 170             setuid 105 146                   setxattr 188 5
shmat 30 196                     shmctl 31 195                    shmget 29 194
shutdown 48 210                  sigaltstack 131 132              signalfd 282 -
signalfd4 289 74                 socket 41 198                    socketpair 53 199
splice 275 76                    stat 4 -                         statfs 137 43
statx 332 291                    swapoff 168 225                  swapon 167 224
symlink 88 -                     symlinkat 266 36                 sync 162 81
syncfs 306 267                   syslog 103 116                   tee 276 77
tgkill 234 131                   time 201 -                       timer_create 222 107
timerfd_create 283 85            times 100 153                    tkill 200 130
truncate 76 45                   umask 95 166                     umount2 166 39
uname 63 160                     unlink 87 -                      unlinkat 263 35
unshare 272 97                   userfaultfd 323 282              utime 132 -
utimensat 280 88                 utimes 235 -                     vfork 58 -
vhangup 153 58                   vmsplice 278 75                  wait4 61 260
waitid 247 95                    write 1 64                       writev 20 66
"""
"""For each call its name, its number on x86_64, and its number on aarch64.

A dash means that the machine lacks the call."""


def _numbers_in_column(column: int) -> dict[str, int]:
    """Return the numbers in `column` of the table, keyed by the names of the calls."""
    cells = _NUMBERS.split()
    rows = zip(cells[::3], cells[column::3], strict=True)
    return {name: int(number) for name, number in rows if number != "-"}


MACHINES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        # The audit number is AUDIT_ARCH_X86_64 of <linux/audit.h>.
        "x86_64": Machine(name="x86_64", audit_number=0xC000003E, numbers=_numbers_in_column(1)),
        # The audit number is AUDIT_ARCH_AARCH64.
        "aarch64": Machine(name="aarch64", audit_number=0xC00000B7, numbers=_numbers_in_column(2)),
    }
)

_PADDING: Final = (0,) * 6  # a system call has at most six arguments

_machine: Final = this_machine()
_numbers: Final = {} if _machine is None else _machine.numbers
_raw: Final = ctypes.CDLL(None, use_errno=True).syscall if sys.platform == "linux" else None
if _raw is not None:
    _raw.restype = ctypes.c_long
    # `syscall` is variadic: without types, ctypes would pass 32-bit integers, truncating addresses.
    _raw.argtypes = [ctypes.c_long] * (1 + len(_PADDING))


class PreparedCall(NamedTuple):
    """A system call, looked up in advance for a freshly forked child.

    A child shares its parent's memory until it writes, and Python writes to every object that it
    uses. Each first write to a page costs more than most system calls, and looking up a name writes
    to several pages.
    """

    layer: str
    """The layer of isolation that the call belongs to, for the message if the call fails."""
    name: str
    expected_error: int
    """The error with which the call must fail, or 0 if it must succeed."""
    numbers: tuple[int, ...]
    """The number of the call, followed by its arguments, padded to six."""


def prepare(layer: str, name: str, *args: int, expected_error: int = 0) -> PreparedCall:
    """Return the system call `name`, or raise OSError if this machine lacks it.

    `make` makes the call. `layer` and `expected_error` are stored for `lockdown`.
    """
    number = _numbers.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    return PreparedCall(layer, name, expected_error, (number, *args, *_PADDING[len(args) :]))


def make(numbers: tuple[int, ...]) -> int:
    """Make the prepared system call `numbers`; return its result, or its negated error number."""
    if _raw is None:
        return -errno.ENOSYS
    result: int = _raw(*numbers)
    return result if result >= 0 else -ctypes.get_errno()


def call(name: str, *args: int) -> int:
    """Make the system call `name`; return its result, or raise OSError if it fails."""
    result = make(prepare("", name, *args).numbers)
    if result < 0:
        raise OSError(-result, os.strerror(-result), name)
    return result
