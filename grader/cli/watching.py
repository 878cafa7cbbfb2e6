"""`grader check --watch`: checks again after each save, and prints what has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from rich.console import Console

from grader.cli.status_line import STATUS
from grader.cli.terminal import show_error
from grader.errors import GraderError, HostError
from grader.intake.files import MAX_FILES, is_in_git_folder
from grader.judging.record import CaseResult, Record
from grader.reporting.lines import STYLES, Lines
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

# Files are polled, because no notification mechanism works on all systems and network drives.
_POLL_S: Final = 0.025
_MAX_LISTED: Final = 3
_Signature: TypeAlias = Mapping[str, tuple[int, int, int]]
"""The modification time, size and inode of each file, keyed by path."""


def watch(path: Path, check: Callable[[], Record], report: Callable[[Record], None]) -> None:
    """Call `check` now and after each save at `path`, and pass its record to `report`.

    Continues until Ctrl-C. Each time, the screen is cleared first, and the changes since the last
    graded version are printed at the end. Errors are printed too, because the next save might fix
    them; only a `HostError` is raised.
    """
    console = Console(highlight=False)  # stops rich from colouring numbers and paths
    earlier: Record | None = None
    with suppress(KeyboardInterrupt):
        for _ in saves(path, _pause):
            console.clear()
            try:
                with STATUS.showing(f"grader check {one_line(path.name)} …"):
                    record = check()
                report(record)
            except HostError:  # saving a file cannot fix it
                raise
            except GraderError as error:
                show_error(error)
                continue
            print_changes(earlier, record, console)
            # Versions that could not be run are left out of the comparison.
            if record.status is Status.GRADED:
                earlier = record


def _pause() -> None:
    time.sleep(_POLL_S)


def saves(path: Path, pause: Callable[[], None]) -> Iterator[None]:
    """Yield immediately, and again whenever files at `path` changed and then stayed the same.

    They have to stay the same for a `pause`, because an editor might write a file in pieces, or
    write a new file and rename it.
    """
    previous = _signature(path)
    yield
    while True:
        pause()
        current = _signature(path)
        if current == previous:
            continue
        while current != previous:
            previous = current
            pause()
            current = _signature(path)
        yield


def _signature(path: Path) -> _Signature:
    """Return the modification time, size and inode of each file at `path`."""
    signature = {}
    for file in _files(path):
        # Ignore a file that was removed since it was listed.
        with suppress(OSError):
            stat = os.stat(file)
            # The inode is included because an editor might replace the file with a new one.
            signature[file] = stat.st_mtime_ns, stat.st_size, stat.st_ino
    return signature


def _files(path: Path) -> Iterator[str]:
    """Yield the file at `path`, or the files below the folder at `path`, up to a limit."""
    if not os.path.isdir(path):
        yield str(path)
        return
    count = 0
    for folder, folders, names in os.walk(path):
        # Changed in place, so that `walk` skips the other folders.
        folders[:] = [
            name for name in folders if name != "__pycache__" and not is_in_git_folder(name)
        ]
        for name in names:
            count += 1
            # Limit the cost of each poll, even for a huge folder.
            if count > 2 * MAX_FILES:
                return
            yield os.path.join(folder, name)


def print_changes(earlier: Record | None, record: Record, console: Console) -> None:
    """Print which cases pass in `record` but failed in the `earlier` one, and vice versa.

    Also prints that the next save is awaited.
    """
    locale = Locale.for_record(record)
    lines = Lines(console, locale)
    if earlier is not None and record.status is Status.GRADED:
        before, after = _passed_by_id(earlier), _passed_by_id(record)
        # A case that only the later record has is neither fixed nor broken.
        fixed = [case for case in after if after[case] and not before.get(case, True)]
        broken = [case for case in after if not after[case] and before.get(case, False)]
        if fixed:
            text = locale("watch_mended", cases=_list_cases(fixed))
            lines.cut_line((f"{GLYPHS[Tone.GOOD]} {text}", STYLES[Tone.GOOD]))
        if broken:
            text = locale("watch_broken", cases=_list_cases(broken))
            lines.cut_line((f"{GLYPHS[Tone.BAD]} {text}", STYLES[Tone.BAD]))
        if not fixed and not broken:
            lines.cut_line((locale("watch_same"), "dim"))
    lines.cut_line((locale("watch_waiting"), "dim"))


def _passed_by_id(record: Record) -> Mapping[str, bool]:
    """Return whether each case that students see in `record` passed, keyed by its id."""

    def passed(case: CaseResult) -> bool:
        return case.verdict is Verdict.PASSED

    return {case.id: passed(case) for group in visible_groups(record) for case in group.cases}


def _list_cases(ids: list[str]) -> str:
    listed = ", ".join(one_line(case_id, 60) for case_id in ids[:_MAX_LISTED])
    more = len(ids) - _MAX_LISTED
    return f"{listed} (+{more})" if more > 0 else listed
