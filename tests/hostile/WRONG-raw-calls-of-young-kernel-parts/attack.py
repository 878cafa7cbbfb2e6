"""Finds the grader's own door to the kernel in the frames that called it, and asks for large young parts of the kernel; the filter grants none of them."""

import sys

CALLS = (
    ("io_uring_setup", 8, 0),
    ("io_uring_enter", 0, 1, 0, 0, 0),
    ("io_uring_register", 0, 0, 0, 0),
    ("io_setup", 1, 0),
    ("userfaultfd", 0),
    ("userfaultfd", 1),
    ("bpf", 5, 0, 0),
    ("perf_event_open", 0, 0, -1, -1, 0),
    ("landlock_create_ruleset", 0, 0, 1),
    ("keyctl", 0, -3, 1),
    ("add_key", 0, 0, 0, 0, -3),
    ("request_key", 0, 0, 0, -3),
    ("memfd_create", 0, 0),
    ("memfd_secret", 0),
    ("fanotify_init", 0, 0),
    ("inotify_init1", 0),
    ("timerfd_create", 0, 0),
    ("signalfd4", -1, 0, 8, 0),
    ("eventfd2", 0, 0),
    ("epoll_create1", 0),
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
