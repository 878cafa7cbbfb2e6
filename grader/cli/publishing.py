"""Where else than on the terminal `grader check` tells what came of a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from grader.errors import OutputError
from grader.judging.record import Record
from grader.reporting.student_page import student_page
from grader.reporting.writing import write_atomically
from grader.seams import EXTRAS
from grader.values.display import one_line

_SUMMARY: Final = "GITHUB_STEP_SUMMARY"


def publish(record: Record, work: Path, page: Path | None, *, github: bool) -> None:
    """Write the `page` of `record`, which lies at `work`, and tell `github` where that is asked."""
    if page is not None:
        write_atomically(page, student_page(record).encode())
    if github:
        shown = EXTRAS.load("--github")
        for command in shown.line_notes(record, Path(os.path.relpath(work))):
            print(command)
        if path := os.environ.get(_SUMMARY):
            _add(Path(path), shown.summary(record))


def judge_for_dodona(make: Callable[[], Record]) -> None:
    """Print for Dodona what came of the record that `make` returns, or that we failed."""

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()  # of a judge that is stopped Dodona shows what it has said

    EXTRAS.load("--dodona")(write, make)


def _add(path: Path, text: str) -> None:
    """Write `text` at the end of the summary at `path`, to which other steps may have written."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(f"cannot write {one_line(str(path))}: {error.strerror}") from error
