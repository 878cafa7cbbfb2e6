"""What of a folder is ours and no hand-in: where reports go, runs, and the parts of a course."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.cli.terminal import warn
from grader.errors import NothingToGrade
from grader.intake.sources import Source
from grader.intake.suffixes import PYTHON, suffix_of
from grader.store.store import STORE_NAME
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.exercises import REFERENCES
from grader.values.display import one_line

_OF_COURSE: Final = frozenset({SUITES, REFERENCES, "submissions", "docs"})
"""Folders of a course, which are nobody's name where one for suites is among them."""


def without_ours(place: Path, source: Source, reports: Path | None) -> Source | None:
    """Return `source` without what is ours in it, told; None where nothing else is in it.

    Raises `NothingToGrade` where it is a run itself.
    """
    if not os.path.isdir(place):
        return source
    if _is_run(place) and not _has_python(source):
        raise NothingToGrade(
            f"{one_line(str(place))} is a run, and not what was handed in",
            help="name the download or the folder of hand-ins; `grader regrade` grades a run again",
        )
    tops = {path.partition("/")[0] for path in source.paths()}
    own = {top: why for top in sorted(tops) if (why := _why_ours(place / top, tops, reports))}
    for top, why in own.items():
        warn(f"{one_line(str(place / top))} is {why}, not a hand-in")
    if own and own.keys() == tops:
        return None
    return source.without({path for path in source.paths() if path.partition("/")[0] in own})


def _is_run(path: Path) -> bool:
    return os.path.isfile(path / STORE_NAME)  # unlike `Path.is_file`, it never raises


def _has_python(source: Source) -> bool:
    return any(suffix_of(leaf.path) == PYTHON for leaf in source.leaves)


def _why_ours(path: Path, beside: Iterable[str], reports: Path | None) -> str | None:
    """Return what our folder at `path` is, None where it is none of ours."""
    if reports is not None and _is_for_reports(path, reports.absolute()):
        return "where the reports go"
    if _is_run(path):
        return "a run"
    if path.name in _OF_COURSE and SUITES in beside and os.path.isdir(path):
        return "part of the course"
    return None


def _is_for_reports(path: Path, reports: Path) -> bool:
    """Return whether reports go to `path`, or a run that was there or regraded beside it is."""
    if path == reports:
        return True
    ending = path.name.removeprefix(reports.name)
    is_named = path == reports.with_name(f"{reports.name}{ending}") and (
        ending == "-regraded" or re.fullmatch("[.][0-9]+", ending, re.ASCII) is not None
    )
    return is_named and _is_run(path)
