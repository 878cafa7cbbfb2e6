"""Notices tests that go around the proxies: that read a submission as a file, or run it.

Where tests run there are no files of it. What fails for want of them is no mistake of a student.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final

from grader.bridge.wire import Uncrossable

_READING: Final = (None, "r", "rb", "rt")
_WRITING: Final = os.O_CREAT | os.O_WRONLY | os.O_RDWR


def watch_for(
    modules: Collection[str],
    submission: Path,
    shared: Callable[[], list[Path]],
    refuse: Callable[[Uncrossable], None],
) -> None:
    """Refuse from now on what would need files of `modules`; it stays watched for to the end.

    `refuse` takes note of it, whatever the test makes of the exception.
    """
    watch = Bypassing(modules, submission, shared)

    def notice(event: str, about: tuple[Any, ...]) -> None:
        what = None
        if event == "open":
            what = watch.reading(*about)
        elif event == "subprocess.Popen":
            what = watch.running(about[1], about[2])
        if what is not None:
            error = Uncrossable(f"a test {what}")
            refuse(error)
            raise error

    sys.addaudithook(notice)


class Bypassing:
    """Knows what needs a file of a submission."""

    def __init__(
        self, modules: Collection[str], submission: Path, shared: Callable[[], list[Path]]
    ) -> None:
        """Watch for the files of `modules`; what was handed in lies at `submission`.

        What is missing in folders that are `shared`, the submission should have written there.
        """
        self._modules: Final = modules
        self._files: Final = {f"{name.rpartition('.')[2]}.py" for name in modules}
        self._submission: Final = submission
        self._shared: Final = shared

    def reading(self, path: object, mode: object, flags: object) -> str | None:
        """Return what is read, if it is a file of a submission that is not there."""
        if not isinstance(path, str | bytes) or mode not in _READING:
            return None
        if isinstance(flags, int) and flags & _WRITING:
            return None
        name = _name(path)
        if name not in self._files or not self._is_missing(os.fsdecode(path)):
            return None
        return f"reads {name} as a file; inspect.getsource(module) gives its text"

    def running(self, arguments: object, folder: Any) -> str | None:
        """Return what is run in `folder`, if it is a file of a submission, or its module."""
        if isinstance(arguments, str):
            arguments = _parts_on_windows(arguments)
        if not isinstance(arguments, Iterable) or isinstance(arguments, bytes):
            return None
        known = (str, bytes, os.PathLike)
        flag, program = _program(
            [os.fsdecode(each) for each in arguments if isinstance(each, known)]
        )
        if flag == "m":
            is_of_submission = program in self._modules
        else:
            place = os.path.join(os.fsdecode(folder or "."), program)
            is_of_submission = _name(program) in self._files and (
                self._is_missing(place) or _lies_in(place, [self._submission])
            )
        if not is_of_submission:
            return None
        return f"runs {program} as a command; runpy.run_module(name) runs it as a program"

    def _is_missing(self, path: str) -> bool:
        return not os.path.exists(path) and not _lies_in(path, self._shared())


def _program(told: list[str]) -> tuple[str, str]:
    """Return what a command runs, after "m" where that is a module; "" where it is neither."""
    if not told or not _is_python(told[0]):
        return "", told[0] if told else ""
    rest = iter(told[1:])
    for each in rest:
        if not each.startswith("-"):
            return "", each
        flags = "" if each.startswith("--") else each[1:]
        start = next((at for at, flag in enumerate(flags) if flag in "cmWX"), None)
        if start is None:
            continue
        value = flags[start + 1 :] or next(rest, "")
        if flags[start] == "m":
            return "m", value
        if flags[start] == "c":
            break
    return "", ""


def _is_python(program: str) -> bool:
    name = Path(program).stem.lower()
    return program == sys.executable or name == "py" or name.startswith("python")


def _parts_on_windows(command: str) -> list[str]:
    """Return roughly the arguments in a command: Windows has it in one piece."""
    try:
        return [each.strip('"') for each in shlex.split(command, posix=False)]
    except ValueError:
        return []


def _lies_in(path: str, folders: Iterable[Path]) -> bool:
    place = Path(os.path.realpath(path))
    return any(place.is_relative_to(os.path.realpath(each)) for each in folders)


def _name(path: str | bytes) -> str:
    return Path(os.fsdecode(path)).name
