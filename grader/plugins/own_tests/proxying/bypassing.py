"""Detects tests that bypass the proxies: they read the submission as a file, or run it.

The files of the submission do not exist where tests run. So it is not a student's mistake if a test
fails because of that.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Uncrossable
from grader.plugins.own_tests.proxying.borrowed import BorrowedSandbox
from grader.plugins.own_tests.proxying.evaluating import (
    EvaluationGuard,
    bytecode_complaint,
    pickle_complaint,
)

_BLOCKED_EVENTS: Final[dict[str, str]] = {
    **dict.fromkeys(("subprocess.Popen", "os.system"), "starts a program"),
    **dict.fromkeys(("os.posix_spawn", "os.exec", "os.spawn"), "starts a program"),
    **dict.fromkeys(("os.fork", "os.forkpty"), "starts a process"),
    **dict.fromkeys(("socket.__new__", "socket.getaddrinfo"), "uses the network"),
}
_PROBING_MODULES: Final = frozenset({"platform", "uuid", "ctypes.util", BorrowedSandbox.__module__})
"""Modules that try to start a program but work without it; also, the one that borrows executors."""
_READ_MODES: Final = (None, "r", "rb", "rt")
_WRITE_FLAGS: Final = os.O_CREAT | os.O_WRONLY | os.O_RDWR


def install_audit_hook(
    modules: Collection[str],
    shared: Callable[[], list[Path]],
    refuse: Callable[[Uncrossable], None],
    evaluation_guard: EvaluationGuard,
    *,
    is_walled: bool,
) -> None:
    """Install an audit hook for good, which refuses accesses that need files of `modules`.

    Files in the folders that `shared` returns are exempt, as a submission can write there.
    `refuse` records the refusal, so that it counts even if the test swallows the exception. The
    hook also refuses code that a submission may have made up, in a string or a pickle:
    `evaluation_guard` decides about strings, and about files that are imported. With `is_walled`,
    tests cannot start processes or use the network either.
    """
    checks = _checks_by_event(BypassDetector(modules, shared), evaluation_guard)

    def refuse_event(event: str, arguments: tuple[Any, ...]) -> None:
        """Raise `Uncrossable` if the audited event is not permitted."""
        check = checks.get(event)
        complaint = None if check is None else check(*arguments)
        if complaint is None and event in _BLOCKED_EVENTS and is_walled and not _is_probe():
            complaint = (
                f"{_BLOCKED_EVENTS[event]}, which is blocked by the wall around the tests;"
                " let it read a file beside the tests instead, or call functions of the submission"
            )
        if complaint is not None:
            error = Uncrossable(f"a test {complaint}")
            refuse(error)
            raise error

    sys.addaudithook(refuse_event)  # an exception in the hook prevents the audited operation


def _checks_by_event(
    detector: BypassDetector, evaluation_guard: EvaluationGuard
) -> dict[str, Callable[..., str | None]]:
    """Return the functions that check audit events, by the name of the event.

    Each gets the arguments of the event, and returns None if the event is permitted, else a
    complaint.
    """
    # `_getframe(2)` is the frame that caused the event: 0 is the lambda, and 1 the hook.
    return {
        "open": detector.reading_complaint,
        "subprocess.Popen": lambda _, arguments, folder, __: detector.running_complaint(
            arguments, folder
        ),
        "os.system": lambda command: detector.running_complaint(command, None),
        "os.posix_spawn": lambda _, arguments, *__: detector.running_complaint(arguments, None),
        "os.exec": lambda _, arguments, *__: detector.running_complaint(arguments, None),
        "os.spawn": lambda _, __, arguments, *___: detector.running_complaint(arguments, None),
        "exec": lambda code: evaluation_guard.execution_complaint(code, sys._getframe(2)),  # noqa: SLF001 - it depends on the caller
        "compile": lambda text, _: evaluation_guard.record_source(text),
        "import": lambda _, file, *__: evaluation_guard.loading_complaint(file),
        "pickle.find_class": pickle_complaint,
        **dict.fromkeys(
            ("marshal.load", "marshal.loads"),
            lambda *_: bytecode_complaint(sys._getframe(2)),  # noqa: SLF001 - as above
        ),
    }


class BypassDetector:
    """Detects accesses that need a file of a submission."""

    def __init__(self, modules: Collection[str], shared: Callable[[], list[Path]]) -> None:
        """Watch for the files of `modules`, except in the folders that `shared` returns.

        A file that is missing in such a folder is one that the submission should have written.
        """
        self._modules: Final = modules
        self._files: Final = {f"{name.rpartition('.')[2]}.py" for name in modules}
        self._shared: Final = shared

    def reading_complaint(self, path: object, mode: object, flags: object) -> str | None:
        """Return a complaint if a test reads a missing file of a submission, else None.

        The arguments are those of the audit event `open`.
        """
        if not isinstance(path, str | bytes) or mode not in _READ_MODES:
            return None
        if isinstance(flags, int) and flags & _WRITE_FLAGS:
            return None
        name = _file_name(path)
        if name not in self._files or not self._is_missing(os.fsdecode(path)):
            return None
        return f"reads {name} as a file; inspect.getsource(module) gives its text"

    def running_complaint(self, arguments: object, folder: Any) -> str | None:
        """Return a complaint if a test runs a file or module of a submission, else None."""
        previous_word = ""
        for word in _words_of(arguments):
            if (module := _module_option(previous_word, word)) in self._modules:
                return _complaint_about_running(module)
            names = (text.split(maxsplit=1)[0] for text in _imported_names(word))
            if (module := next((name for name in names if name in self._modules), "")) != "":
                return _complaint_about_running(module)
            path = os.path.join(os.fsdecode(folder or "."), word)
            if _file_name(word) in self._files and self._is_missing(path):
                return _complaint_about_running(word)
            previous_word = word
        return None

    def _is_missing(self, path: str) -> bool:
        """Return whether there is no file at `path`, and no submission could have written one."""
        return not os.path.exists(path) and not _is_inside(path, self._shared())


def _is_probe() -> bool:
    """Return whether one of the callers is in a module that works even if an event is refused."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - it depends on the callers
    while frame is not None:
        if frame.f_globals.get("__name__") in _PROBING_MODULES:
            return True
        frame = frame.f_back
    return False


def _complaint_about_running(program: str) -> str:
    """Return the complaint about a test that runs `program`."""
    return f"runs {program} as a command; runpy.run_module(name) runs it as a program"


# Other flags can precede the `m`, and the module can follow it directly: `-Imdoctest`.
_MODULE_FLAG: Final = re.compile(r"-[bBdEhiIOPqsSuvVx]*m([\w.]*)$")
_IMPORT_STATEMENT: Final = re.compile(r"(?:^|[;\s])(?:import|from)\s+([\w., ]*\w)")


def _module_option(previous_word: str, word: str) -> str:
    """Return the module that `word` names, if `-m` precedes it or is part of it, else ""."""
    if (flag := _MODULE_FLAG.match(previous_word)) and not flag[1]:
        return word
    flag = _MODULE_FLAG.match(word)
    return "" if flag is None else flag[1]


def _imported_names(code: str) -> Iterator[str]:
    """Yield the names that `code`, an argument of a command, imports."""
    for match in _IMPORT_STATEMENT.finditer(code):
        yield from filter(str.strip, match[1].split(","))


def _words_of(command: object) -> Iterator[str]:
    """Yield the words of a command, and those inside a word that is itself a command line."""
    if isinstance(command, bytes):
        command = os.fsdecode(command)
    if isinstance(command, str):
        command = [command]
    if not isinstance(command, Iterable):
        return
    for argument in command:
        if isinstance(argument, (str, bytes, os.PathLike)):
            word = os.fsdecode(argument)
            yield word
            if " " in word:
                yield from _split_command(word)


def _split_command(command: str) -> list[str]:
    """Return the words of a command line for a shell or for Windows, roughly."""
    try:
        # Not in POSIX mode, which drops backslashes.
        return [word.strip("\"'") for word in shlex.split(command, posix=False)]
    except ValueError:  # a quote is not closed
        return command.split()


def _is_inside(path: str, folders: Iterable[Path]) -> bool:
    """Return whether `path`, with links resolved, is in one of `folders`."""
    resolved = Path(os.path.realpath(path))
    return any(resolved.is_relative_to(os.path.realpath(folder)) for folder in folders)


def _file_name(path: str | bytes) -> str:
    return Path(os.fsdecode(path)).name
