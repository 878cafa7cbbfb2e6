"""What a student names on the command line and is not there, told in her language."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.cli.check_output import misuse
from grader.errors import GraderError, NothingToGrade
from grader.values.display import one_line

_MOST_NAMED: Final = 4
_SHOWN_CHARS: Final = 60


def told_to_student(error: GraderError, path: Path, language: str) -> GraderError:
    """Return `error`, which says that no submission is to be had at `path`, in `language`."""
    shown = one_line(str(path))
    if isinstance(error, NothingToGrade):
        return misuse(language, "no_python", NothingToGrade, path=shown)
    if os.path.lexists(path):
        return error
    if files := _python_files(path.parent):
        return misuse(language, "absent", path=shown, files=", ".join(files))
    return misuse(language, "lost", path=shown)


def several_given(paths: Sequence[Path], language: str) -> GraderError:
    """Return that one of `paths` is checked at a time."""
    return misuse(language, "several", path=one_line(str(paths[0])))


def _python_files(folder: Path) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []
    more = ["…"] if len(names) > _MOST_NAMED else []
    return [one_line(name, _SHOWN_CHARS) for name in names[:_MOST_NAMED]] + more
