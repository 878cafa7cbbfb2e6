"""Finds the course that a command works on, and its settings.

It is the nearest folder at or above the current one that has a `grader.toml` or a folder of suites.
Generating a suite runs code of that course, as `make` runs a Makefile: run it in your own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import schema_files
from grader.reporting.writing import write_below
from grader.suite.course import COURSE_NAME, course_settings
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.exercises import FOLDER_VARIABLE, REFERENCES, nearest_suites, suites_folder

SPEC_NAME: Final = "spec.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The folder of a course, and the language of its exercises."""

    folder: Path
    language: str = "en"

    def reference(self, exercise: str) -> Path:
        """Return the folder for the spec and the reference of `exercise`."""
        return self.folder / REFERENCES / exercise


def find_course() -> Course:
    """Return the course that the current folder is in; raises `UsageError` without one."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (settings := folder / COURSE_NAME).is_file():
            return Course(folder=folder, language=course_settings(settings).language)
        if (folder / SUITES).is_dir():
            return Course(folder=folder)
    raise UsageError(
        f"no course here or above: no {COURSE_NAME} and no folder '{SUITES}'",
        help="go to your course, or make one with: grader new course FOLDER",
    )


def suites_for(spec: Path, *, make: bool) -> Path:
    """Return the folder for the suite of `spec`: the nearest above it, else above the current one.

    If there is none, it is one beside `reference`, or beside `spec`. With `make` it is made, with
    the schemas for editors.
    """
    if os.environ.get(FOLDER_VARIABLE):
        return suites_folder(None)
    home = spec.resolve().parent
    found = nearest_suites(home) or nearest_suites(Path.cwd())
    if found is not None:
        return found
    made = (home.parents[1] if home.parent.name == REFERENCES else home) / SUITES
    if make:
        write_schemas(made)
    return made


def write_schemas(folder: Path) -> list[Path]:
    """Write the schemas of suites to `folder`, which is made if needed; return their paths."""
    files = schema_files(KINDS)
    for name, text in files.items():
        write_below(folder, name, text.encode())
    return [folder / name for name in files]
