"""Finds the grader's own door to the kernel in the frames that called it, and asks for the memory, descriptors and limits of its parent; the filter knows no call that names another process."""

import sys

CALLS = (
    ("ptrace", 0, 0, 0, 0),
    ("ptrace", 16, 1, 0, 0),
    ("process_vm_readv", 1, 0, 0, 0, 0, 0),
    ("process_vm_writev", 1, 0, 0, 0, 0, 0),
    ("kcmp", 1, 1, 0, 0, 0),
    ("pidfd_open", 1, 0),
    ("pidfd_getfd", 0, 0, 0),
    ("prlimit64", 1, 7, 0, 0),
    ("prlimit64", 0, 7, 0, 0),
    ("sched_setaffinity", 0, 8, 0),
    ("sched_getaffinity", 1, 128, 0),
    ("sched_setscheduler", 0, 0, 0),
    ("setpriority", 0, 0, 19),
    ("getpriority", 0, 1),
    ("ioprio_set", 1, 0, 0),
    ("move_pages", 1, 0, 0, 0, 0, 0),
    ("migrate_pages", 1, 0, 0, 0),
    ("process_madvise", 0, 0, 0, 4, 0),
    ("get_robust_list", 1, 0, 0),
    ("prctl", 4, 1),
    ("prctl", 59, 0),
    ("wait4", -1, 0, 1, 0),
    ("waitid", 0, 0, 0, 5, 0),
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
