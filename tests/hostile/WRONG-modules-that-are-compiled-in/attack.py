"""Loads modules that are built into the interpreter, or were loaded before, by every back door of the import system; whichever come, they reach nothing."""

import importlib._bootstrap
import importlib.machinery
import sys

# By the back door: their import may be refused.
_imp = sys.modules["_imp"]

NAMES = "_socket _posixsubprocess fcntl resource mmap select syslog termios _posixshmem _ctypes _testcapi readline _multiprocessing".split()


def loaded(name):
    spec = importlib.machinery.ModuleSpec(name, importlib.machinery.BuiltinImporter)
    for load in (
        lambda: _imp.create_builtin(spec),
        lambda: importlib.machinery.BuiltinImporter.load_module(name),
        lambda: importlib._bootstrap._load(spec),
        lambda: sys.modules[name],
        lambda: importlib.machinery.ExtensionFileLoader(name, "/tmp/x.so").load_module(name),
        lambda: _imp.create_dynamic(importlib.machinery.ModuleSpec(name, None, origin="/tmp/x.so")),
    ):
        try:
            module = load()
        except Exception:
            continue
        if type(module) is type(sys):
            yield module


TRIES = (
    ("_socket", lambda m: m.socket()),
    ("_socket", lambda m: m.socketpair()),
    ("_posixsubprocess", lambda m: m.fork_exec([b"true"], [b"/bin/true"], True, (), None, None, -1, -1, -1, -1, -1, -1, -1, -1, False, False, None, None, None, -1, None)),
    ("resource", lambda m: m.setrlimit(m.RLIMIT_AS, (1 << 40, 1 << 40))),
    ("resource", lambda m: m.prlimit(1, m.RLIMIT_CPU)),
    ("fcntl", lambda m: m.fcntl(0, m.F_SETOWN, 1)),
    ("fcntl", lambda m: m.ioctl(0, 0x5412, b"x")),
    ("select", lambda m: m.epoll()),
    ("_posixshmem", lambda m: m.shm_open("/escaped", 66, 0o600)),
    ("_multiprocessing", lambda m: m.SemLock(1, 1, 1, "/escaped", True)),
    ("termios", lambda m: m.tcgetattr(0)),
)


def answer(n):
    for name, act in TRIES:
        for module in loaded(name):
            try:
                got = act(module)
            except Exception:
                continue
            return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def double(n):
    return 2 * n
