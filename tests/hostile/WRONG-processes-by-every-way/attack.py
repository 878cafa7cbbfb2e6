"""Starts processes by every way of the standard library; the kernel lets an executor neither fork nor run a program."""

import os
import sys

# By the back door: their import may be refused.
posix = sys.modules["posix"]


def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def answer(n):
    def fork():
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        return pid

    def succeeded(status):
        if status:
            raise OSError(status)
        return status

    def pool():
        import multiprocessing

        return multiprocessing.Pool(2)

    return first_that_works(
        [
            ("fork", fork),
            ("forkpty", os.forkpty),
            ("posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {})),
            ("posix_spawnp", lambda: os.posix_spawnp("true", ["true"], {})),
            ("system", lambda: succeeded(os.system("true"))),
            ("popen", lambda: os.popen("true").read()),
            ("spawnl", lambda: os.spawnl(os.P_WAIT, "/bin/true", "true")),
            ("execv", lambda: posix.execv("/bin/true", ["true"])),
            ("execve of a descriptor", lambda: posix.execve(0, ["true"], {})),
            ("multiprocessing", pool),
        ]
    )


def double(n):
    return 2 * n
