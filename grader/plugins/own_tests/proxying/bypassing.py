"""Notices tests that bypass the proxies: that read the submission as a file, or run it.

There are no such files where tests run, and a failure for that is no mistake of a student.
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
    Evaluating,
    refusal_of_bytecode,
    refusal_of_pickle,
)

_FORBIDDEN_EVENTS: Final[dict[str, str]] = {
    **dict.fromkeys(("subprocess.Popen", "os.system"), "starts a program"),
    **dict.fromkeys(("os.posix_spawn", "os.exec", "os.spawn"), "starts a program"),
    **dict.fromkeys(("os.fork", "os.forkpty"), "starts a process"),
    **dict.fromkeys(("socket.__new__", "socket.getaddrinfo"), "talks to a network"),
}
_PROBING_MODULES: Final = frozenset({"platform", "uuid", "ctypes.util", BorrowedSandbox.__module__})
"""Modules that try to start a program but can do without, and the one that borrows executors."""
_READING: Final = (None, "r", "rb", "rt")
_WRITING: Final = os.O_CREAT | os.O_WRONLY | os.O_RDWR


def watch_for(
    modules: Collection[str],
    shared: Callable[[], list[Path]],
    refuse: Callable[[Uncrossable], None],
    evaluating: Evaluating,
    *,
    is_walled: bool,
) -> None:
    """Install an audit hook, for good, that refuses whatever needs files of `modules`.

    `refuse` notes the refusal, even if the test swallows the exception. Code in a text or a pickle
    that a submission may have made up is refused as well, as `evaluating` decides.
    """
    watch = Bypassing(modules, shared)
    checks: dict[str, Callable[..., str | None]] = {
        "open": watch.reading,
        "subprocess.Popen": lambda _, arguments, folder, __: watch.running(arguments, folder),
        "os.system": lambda command: watch.running(command, None),
        "os.posix_spawn": lambda _, arguments, *__: watch.running(arguments, None),
        "os.exec": lambda _, arguments, *__: watch.running(arguments, None),
        "os.spawn": lambda _, __, arguments, *___: watch.running(arguments, None),
        "exec": lambda code: evaluating.executing(code, sys._getframe(2)),  # noqa: SLF001 - the caller decides
        "compile": lambda text, _: evaluating.compiling(text),
        "import": lambda _, file, *__: evaluating.loading(file),
        "pickle.find_class": refusal_of_pickle,
        **dict.fromkeys(
            ("marshal.load", "marshal.loads"),
            lambda *_: refusal_of_bytecode(sys._getframe(2)),  # noqa: SLF001 - as above
        ),
    }

    def notice(event: str, about: tuple[Any, ...]) -> None:
        check = checks.get(event)
        complaint = None if check is None else check(*about)
        if (
            complaint is None
            and event in _FORBIDDEN_EVENTS
            and is_walled
            and not _is_only_probing()
        ):
            complaint = (
                f"{_FORBIDDEN_EVENTS[event]}, and behind the wall that tests run in there is none;"
                " let it read a file that lies beside the tests, or call the submission in its own"
                " process"
            )
        if complaint is not None:
            error = Uncrossable(f"a test {complaint}")
            refuse(error)
            raise error

    sys.addaudithook(notice)  # an exception in it prevents what is audited


class Bypassing:
    """Recognises accesses that need a file of a submission."""

    def __init__(self, modules: Collection[str], shared: Callable[[], list[Path]]) -> None:
        """Watch for the files of `modules`, but for those in folders that are `shared`.

        A missing file there is one that the submission should have written.
        """
        self._modules: Final = modules
        self._files: Final = {f"{name.rpartition('.')[2]}.py" for name in modules}
        self._shared: Final = shared

    def reading(self, path: object, mode: object, flags: object) -> str | None:
        """Say what a test does if it reads a missing file of a submission, else None."""
        if not isinstance(path, str | bytes) or mode not in _READING:
            return None
        if isinstance(flags, int) and flags & _WRITING:
            return None
        name = _name(path)
        if name not in self._files or not self._is_missing(os.fsdecode(path)):
            return None
        return f"reads {name} as a file; inspect.getsource(module) gives its text"

    def running(self, arguments: object, folder: Any) -> str | None:
        """Say what a test does if it runs a file or module of a submission, else None."""
        previous = ""
        for word in _words(arguments):
            if (module := _module(previous, word)) in self._modules:
                return _running_message(module)
            named = (each.split(maxsplit=1)[0] for each in _imported(word))
            if (module := next((each for each in named if each in self._modules), "")) != "":
                return _running_message(module)
            place = os.path.join(os.fsdecode(folder or "."), word)
            if _name(word) in self._files and self._is_missing(place):
                return _running_message(word)
            previous = word
        return None

    def _is_missing(self, path: str) -> bool:
        return not os.path.exists(path) and not _is_in(path, self._shared())


def _is_only_probing() -> bool:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the callers decide
    while frame is not None:
        if frame.f_globals.get("__name__") in _PROBING_MODULES:
            return True
        frame = frame.f_back
    return False


def _running_message(program: str) -> str:
    return f"runs {program} as a command; runpy.run_module(name) runs it as a program"


# Other flags may stand before the `m`, and the module right after it: `-Imdoctest`.
_MODULE: Final = re.compile(r"-[bBdEhiIOPqsSuvVx]*m([\w.]*)$")
_IMPORTING: Final = re.compile(r"(?:^|[;\s])(?:import|from)\s+([\w., ]*\w)")


def _module(previous: str, word: str) -> str:
    """Return the module of `-m` in `word`, or `word` if `previous` ends in `-m`; "" if none."""
    if (flag := _MODULE.match(previous)) and not flag[1]:
        return word
    flag = _MODULE.match(word)
    return "" if flag is None else flag[1]


def _imported(code: str) -> Iterator[str]:
    """Yield the names that a program in an argument imports."""
    for match in _IMPORTING.finditer(code):
        yield from filter(str.strip, match[1].split(","))


def _words(command: object) -> Iterator[str]:
    """Yield the words of a command, and those of a command line among them."""
    if isinstance(command, bytes):
        command = os.fsdecode(command)
    if isinstance(command, str):
        command = [command]
    if not isinstance(command, Iterable):
        return
    for each in command:
        if isinstance(each, (str, bytes, os.PathLike)):
            word = os.fsdecode(each)
            yield word
            if " " in word:
                yield from _parts(word)


def _parts(command: str) -> list[str]:
    """Return roughly the words of a command line, of a shell or of Windows."""
    try:
        # Not as in POSIX, which drops backslashes.
        return [each.strip("\"'") for each in shlex.split(command, posix=False)]
    except ValueError:  # a quote is open
        return command.split()


def _is_in(path: str, folders: Iterable[Path]) -> bool:
    place = Path(os.path.realpath(path))
    return any(place.is_relative_to(os.path.realpath(each)) for each in folders)


def _name(path: str | bytes) -> str:
    return Path(os.fsdecode(path)).name
