"""Finds the course that a command works on, and its settings.

The course is the current folder or its nearest ancestor with a `grader.toml` or a suites folder.
Generating a suite runs code from the course, as `make` runs a Makefile, so generate suites only in
courses that you trust.
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
from grader.suite.course import COURSE_NAME, read_course_settings
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.exercises import FOLDER_VARIABLE, REFERENCES, nearest_suites, suites_folder
from grader.values.foreign_text import one_line

SPEC_NAME: Final = "spec.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course folder, and the language of the course's exercises."""

    folder: Path
    language: str = "en"

    def reference(self, exercise: str) -> Path:
        """Return the folder that contains the spec and the reference of `exercise`."""
        return self.folder / REFERENCES / exercise


def find_course() -> Course:
    """Return the course that contains the current folder.

    Raises `UsageError` if there is none, or if its settings cannot be read.
    """
    current_folder = Path.cwd()
    for folder in (current_folder, *current_folder.parents):
        if (settings := folder / COURSE_NAME).is_file():
            return Course(folder=folder, language=read_course_settings(settings).language)
        if (folder / SUITES).is_dir():
            return Course(folder=folder)
    raise UsageError(
        f"neither the current folder {one_line(str(current_folder))} nor a folder above it has a"
        f" {COURSE_NAME} or a folder '{SUITES}'",
        help="change to your course folder, or create a course with: grader new course FOLDER",
    )


def suites_for(spec: Path, *, make: bool) -> Path:
    """Return the suites folder for the suite of `spec`.

    An environment variable can set the folder. Otherwise, prefer the nearest suites folder above
    `spec`, then the nearest one above the current folder. If neither exists, return the path of a
    new folder beside the folder `reference` that contains `spec`, or beside `spec` itself. With
    `make`, also create this new folder and write the schemas for editors to it.
    """
    if os.environ.get(FOLDER_VARIABLE):
        return suites_folder(None)
    spec_folder = spec.resolve().parent
    existing = nearest_suites(spec_folder) or nearest_suites(Path.cwd())
    if existing is not None:
        return existing
    new_folder = (
        spec_folder.parents[1] if spec_folder.parent.name == REFERENCES else spec_folder
    ) / SUITES
    if make:
        write_schemas(new_folder)
    return new_folder


def write_schemas(folder: Path) -> list[Path]:
    """Write the suite schemas to `folder` and return their paths. Create the folder if needed."""
    files = schema_files(KINDS)
    for name, text in files.items():
        write_below(folder, name, text.encode())
    return [folder / name for name in files]
