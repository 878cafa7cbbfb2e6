"""Finds the grader's own door to the kernel in the frames that called it, and asks for namespaces, mounts, another root and another identity; the filter refuses all, root or not."""

import sys

CALLS = (
    ("unshare", 0x10000000),
    ("unshare", 0),
    ("setns", 0, 0),
    ("mount", 0, 0, 0, 0x1000, 0),
    ("umount2", 0, 0),
    ("fsopen", 0, 0),
    ("open_tree", -100, 0, 0),
    ("move_mount", -1, 0, -1, 0, 0),
    ("mount_setattr", -1, 0, 0, 0, 0),
    ("pivot_root", 0, 0),
    ("chroot", 0),
    ("setuid", 65534),
    ("setgid", 65534),
    ("setresuid", -1, -1, -1),
    ("setresgid", -1, -1, -1),
    ("setgroups", 0, 0),
    ("setfsuid", 65534),
    ("capset", 0, 0),
    ("capget", 0, 0),
    ("personality", 0xFFFFFFFF),
    ("seccomp", 0, 0, 0),
    ("seccomp", 1, 0, 0),
    ("seccomp", 2, 0, 0),
    ("prctl", 22, 1),
    ("init_module", 0, 0, 0),
    ("finit_module", 0, 0, 0),
    ("kexec_load", 0, 0, 0, 0),
    ("reboot", 0, 0, 0, 0),
    ("syslog", 10, 0, 0),
    ("iopl", 0),
    ("ioperm", 0, 0, 0),
    ("modify_ldt", 0, 0, 0),
    ("quotactl", 0, 0, 0, 0),
    ("swapoff", 0),
    ("acct", 0),
    ("settimeofday", 0, 0),
    ("clock_settime", 0, 0),
    ("adjtimex", 0),
    ("sethostname", 0, 0),
    ("vhangup",),
)

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def answer(n):
    call = the_kernel().call
    for name, *arguments in CALLS:
        try:
            got = call(name, *arguments)
        except OSError:
            continue
        return f"ESCAPED: {name} gave {got}"
    return "contained"


def double(n):
    return 2 * n
