"""Programs of ours on a Linux that lacks what other systems lack, so that they can be tried here.

    python tests/other_systems.py SYSTEM FOLDER import           imports all modules of the project
    python tests/other_systems.py SYSTEM FOLDER grader ...       runs the command line
    python tests/other_systems.py SYSTEM FOLDER "grader in this thread" ...   without a worker

Interpreters that the program starts lack the same; FOLDER takes a file that they are started by.
What else differs on these systems, such as text that is not UTF-8, is not tried.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import posix
import select
import selectors
import signal
import socket
import stat
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_TESTS: Final = str(Path(__file__).resolve().parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """What a system has not got, and Linux has."""

    platform: str
    names: Mapping[ModuleType, str]
    modules: str = ""


_MACOS: Final = Lack(
    platform="darwin",
    names={
        os: "sched_getaffinity pidfd_open getresuid setresuid setresgid O_PATH memfd_create "
        "unshare setns waitid",
        socket: "SOCK_SEQPACKET",
        signal: "SIGSTKFLT SIGPWR pidfd_send_signal sigtimedwait",
        select: "epoll",
        time: "pthread_getcpuclockid CLOCK_BOOTTIME",
    },
)
_WINDOWS: Final = Lack(
    platform="win32",
    names={
        os: f"{_MACOS.names[os]} fork forkpty register_at_fork getuid geteuid getgid getegid "
        "setuid setgid setgroups getpgid setsid killpg uname sysconf chown fchown lchown chroot "
        "mkfifo makedev statvfs wait wait3 wait4 WIFEXITED WIFSIGNALED WIFSTOPPED WEXITSTATUS "
        "WTERMSIG O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_DIRECTORY sched_yield",
        socket: f"{_MACOS.names[socket]} AF_UNIX send_fds recv_fds sendmsg CMSG_SPACE SCM_RIGHTS",
        signal: f"{_MACOS.names[signal]} SIGBUS SIGKILL SIGTRAP SIGXCPU SIGSYS SIGHUP SIGALRM "
        "SIGCHLD SIGPIPE SIGQUIT SIGSTOP SIGUSR1 alarm setitimer pthread_sigmask sigwait",
        select: f"{_MACOS.names[select]} poll",
        time: f"{_MACOS.names[time]} clock_gettime clock_getres CLOCK_PROCESS_CPUTIME_ID",
    },
    modules="resource fcntl pwd grp termios pty tty readline curses",
)
SYSTEMS: Final = {"macos": _MACOS, "windows": _WINDOWS}


def become(system: str) -> None:
    """Take from this process what `system` has not got."""
    lack = SYSTEMS[system]
    sysconfig.get_config_vars()  # reads a file named after the platform, once
    if system == "windows":
        _keep_subprocess_going()
        _have_paths_asked_of_the_system()
        _have_locks()
    for module, names in lack.names.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for name in lack.modules.split():
        sys.modules[name] = None  # type: ignore[assignment]  # so its import fails
    sys.platform = lack.platform


def _keep_subprocess_going() -> None:
    """Let the standard library start and kill processes by what is about to go."""
    number = signal.SIGKILL
    vars(subprocess)["_PopenSelector"] = selectors.SelectSelector
    setattr(subprocess.Popen, "kill", lambda process: process.send_signal(number))  # noqa: B010


def _have_locks() -> None:
    """Have the module that locks files there, which Linux lacks; it locks nothing."""
    there = ModuleType("msvcrt")
    vars(there).update(LK_NBLCK=2, locking=lambda *_: None)
    sys.modules["msvcrt"] = there


def _have_paths_asked_of_the_system() -> None:
    """Have `os.path` look without `os.stat`, as it does there from Python 3.12 on."""
    real = posix.stat

    def asking(holds: Callable[[int], bool]) -> Callable[[str], bool]:
        def ask(path: str) -> bool:
            try:
                return holds(real(path).st_mode)
            except (OSError, ValueError):
                return False

        return ask

    asked = {"exists": asking(bool), "isfile": asking(stat.S_ISREG), "isdir": asking(stat.S_ISDIR)}
    vars(os.path).update(asked)


def _starter(system: str, folder: Path) -> str:
    """Return an interpreter that lacks what `system` lacks, made in `folder`."""
    path = folder / "python"
    path.write_text(
        f"#!{sys.executable} -PSB\n"
        f"import sys; sys.path.insert(0, {_TESTS!r})\n"
        f"from other_systems import interpret; interpret({system!r}, sys.argv)\n"
    )
    path.chmod(0o755)
    return str(path)


def interpret(system: str, arguments: list[str]) -> None:
    """Run the program behind `-c` in `arguments`, as an interpreter on `system` would."""
    _, program, *rest = arguments[arguments.index("-c") :]
    become(system)
    sys.path.remove(_TESTS)
    sys.argv = ["-c", *rest]
    exec(program, {"__name__": "__main__"})


def _import_all() -> None:
    package = importlib.import_module("grader")
    for module in pkgutil.walk_packages(package.__path__, "grader."):
        importlib.import_module(module.name)
        print(module.name)


def _run_grader() -> None:
    sys.argv[:] = ["grader", *sys.argv[4:]]
    importlib.import_module("grader.cli.verbs").main()


def _run_in_this_thread() -> None:
    # A worker would be a process of this system again.
    engines: Any = importlib.import_module("grader.run.engines")
    started = importlib.import_module("graded_classes").InThisThread
    engines.local_engine = lambda *_: engines.Engine(start=started, workers=1, chunk=1)
    _run_grader()


_PROGRAMS: Final[Mapping[str, Callable[[], None]]] = {
    "import": _import_all,
    "grader": _run_grader,
    "grader in this thread": _run_in_this_thread,
}
_BELIEVERS: Final = ("asyncio", "click", "pydantic.main", "pytest", "rich.console", "rich.progress")
"""What is not ours, believes `sys.platform`, and would look for a real Windows."""
_OF_EXTRAS: Final = ("uvicorn",)
"""The same, where it is installed."""


def main() -> None:
    """Become another system, then do what the command line asks."""
    system, folder, program = sys.argv[1:4]
    starter = _starter(system, Path(folder))
    for name in (*_BELIEVERS, *filter(find_spec, _OF_EXTRAS)):
        importlib.import_module(name)
    become(system)
    sys.executable = starter
    _PROGRAMS[program]()


if __name__ == "__main__":
    main()
