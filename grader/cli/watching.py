"""`grader check --watch`: checks again on each save, and tells what that has changed.

What lies on the disk is looked at every so often, for want of a way to be told that all systems and
all network drives have. The sandbox stays warm between two checks, and the suite is read once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from rich.console import Console

from grader.cli.terminal import show_error
from grader.errors import GraderError, HostError
from grader.intake.files import MAX_FILES, is_of_git
from grader.judging.record import CaseResult, Record
from grader.reporting.lines import STYLES, Lines
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone
from grader.values.display import one_line
from grader.verdict import Status, Verdict

_POLL_S: Final = 0.025
_MOST_NAMED: Final = 3
_Seen: TypeAlias = Mapping[str, tuple[int, int, int]]


def watch(path: Path, check: Callable[[], Record], tell: Callable[[Record], None]) -> None:
    """Call `check` at once and after each save at `path`, and `tell` what came of it.

    Goes on until somebody interrupts it. What saving cannot mend is raised.
    """
    console = Console(highlight=False)
    earlier: Record | None = None
    with suppress(KeyboardInterrupt):
        for _ in saves(path, _pause):
            console.clear()
            try:
                record = check()
                tell(record)
            except HostError:
                raise
            except GraderError as error:
                show_error(error)
                continue
            tell_changes(earlier, record, console)
            if record.status is Status.GRADED:
                earlier = record


def _pause() -> None:
    time.sleep(_POLL_S)


def saves(path: Path, pause: Callable[[], None]) -> Iterator[None]:
    """Yield at once, and whenever what lies at `path` has changed and stays as it is for a `pause`.

    An editor may write a file in pieces, or write another one and give it the name.
    """
    seen = _signature(path)
    yield
    while True:
        pause()
        now = _signature(path)
        if now == seen:
            continue
        while now != seen:
            seen = now
            pause()
            now = _signature(path)
        yield


def _signature(path: Path) -> _Seen:
    """Return what another save would change of the files at `path`; nothing where there is none."""
    seen = {}
    for file in _files(path):
        with suppress(OSError):
            stat = os.stat(file)
            seen[file] = stat.st_mtime_ns, stat.st_size, stat.st_ino
    return seen


def _files(path: Path) -> Iterator[str]:
    if not os.path.isdir(path):
        yield str(path)
        return
    count = 0
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__" and not is_of_git(name)]
        for name in names:
            count += 1
            if count > 2 * MAX_FILES:
                return
            yield os.path.join(folder, name)


def tell_changes(earlier: Record | None, record: Record, console: Console) -> None:
    """Say what of `record` is right now and was not, and what is wrong now and was not."""
    locale = Locale.of_record(record)
    lines = Lines(console, locale)
    if earlier is not None and record.status is Status.GRADED:
        before, now = _passed(earlier), _passed(record)
        mended = [case for case in now if now[case] and not before.get(case, True)]
        broken = [case for case in now if not now[case] and before.get(case, False)]
        if mended:
            told = locale("watch_mended", cases=_enumerated(mended))
            lines.cut_line((f"{GLYPHS[Tone.GOOD]} {told}", STYLES[Tone.GOOD]))
        if broken:
            told = locale("watch_broken", cases=_enumerated(broken))
            lines.cut_line((f"{GLYPHS[Tone.BAD]} {told}", STYLES[Tone.BAD]))
        if not mended and not broken:
            lines.cut_line((locale("watch_same"), "dim"))
    lines.cut_line((locale("watch_waiting"), "dim"))


def _passed(record: Record) -> Mapping[str, bool]:
    """Return of each case that a student may see whether it passed."""

    def passed(case: CaseResult) -> bool:
        return case.verdict is Verdict.PASSED

    return {case.id: passed(case) for group in visible_groups(record) for case in group.cases}


def _enumerated(cases: list[str]) -> str:
    named = ", ".join(one_line(case, 60) for case in cases[:_MOST_NAMED])
    left = len(cases) - _MOST_NAMED
    return f"{named} (+{left})" if left > 0 else named
