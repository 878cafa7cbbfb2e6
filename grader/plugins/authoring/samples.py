"""The samples that come with the grader: an empty course, small exercises, and five large ones.

A checkout has them in folders, an installed package in an archive beside its code.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from grader.errors import OutputError, UsageError
from grader.plugins.authoring.deriving.settings import SETTINGS_NAME
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.exercises import REFERENCES
from grader.values.foreign_text import one_line

COURSE: Final = "samples/course"
CI: Final = "samples/ci"
CI_PLATFORMS: Final = (
    "classroom50",
    "devcontainer",
    "dodona",
    "github",
    "gitlab",
    "gradescope",
    "prairielearn",
    "pre-commit",
)
_EXERCISES: Final = "samples/exercises"
_LARGE: Final = ("docs", REFERENCES, "submissions", SUITES)
_HEAD: Final = re.compile(r"^(exercise|title|language|module): (.*)$", re.MULTILINE)
_PACKAGE: Final = Path(__file__).resolve().parents[2]
_ARCHIVE: Final = _PACKAGE / "samples.zip"


def files_below(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path in `folder`, and the bytes, of each sample file below it."""
    if _ARCHIVE.is_file():
        with ZipFile(_ARCHIVE) as archive:
            for name in archive.namelist():
                if name.startswith(f"{folder}/"):
                    yield name.removeprefix(f"{folder}/"), archive.read(name)
        return
    root = _PACKAGE.parent / folder
    for path in sorted(root.rglob("*")):  # the system has them in any order
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix(), path.read_bytes()


def large_exercises() -> Iterator[tuple[str, bytes]]:
    """Yield the files of a course with five exercises, with hand-ins and documentation."""
    for folder in _LARGE:
        for name, data in files_below(folder):
            yield f"{folder}/{name}", data


def kinds() -> list[str]:
    """Return the kinds of small exercises, from which a new one can be made."""
    return sorted({name.partition("/")[0] for name, _ in files_below(_EXERCISES)})


def exercise_like(kind: str, exercise: str, title: str, language: str) -> Mapping[str, bytes]:
    """Return the files of the small exercise of this `kind` under the name of a new `exercise`.

    Only the names of the exercise and of its module change; the author replaces the functions.
    """
    files = {name: data.decode() for name, data in files_below(f"{_EXERCISES}/{kind}")}
    old = dict(_HEAD.findall(files[SETTINGS_NAME]))
    new = {"exercise": exercise, "title": title, "language": language}
    new["module"] = module_of(exercise)
    files[SETTINGS_NAME] = _HEAD.sub(
        # A JSON string is YAML too, whatever characters a title has.
        lambda line: f"{line[1]}: {json.dumps(new[line[1]], ensure_ascii=False)}",
        files[SETTINGS_NAME],
    )
    module = (f"{old['module']}.py", f"{new['module']}.py")
    heading = (f"# {old['title']}\n", f"# {title}\n")
    return {
        name.replace(*module): text.replace(*module).replace(*heading).encode()
        for name, text in files.items()
    }


def module_of(exercise: str) -> str:
    """Return the name of the module of a new `exercise`."""
    return exercise.replace("-", "_")


def write_new(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` to `folder`; raises `UsageError` if one of them is there already."""
    shown = one_line(str(folder))
    # a broken link too: writing would follow it
    if there := next((name for name in files if os.path.lexists(folder / name)), None):
        raise UsageError(
            f"{shown} already contains {there}", help="name another folder: nothing is overwritten"
        )
    try:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise OutputError(f"cannot write {shown}: {error.strerror}") from error
