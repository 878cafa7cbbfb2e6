"""The samples that come with the grader: an empty course, small exercises, and five large ones.

They are folders in a checkout, and an archive beside the code in an installed package.
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
"""The folders of the sample course with the large exercises."""
_HEAD_LINE: Final = re.compile(r"^(exercise|title|language|module): (.*)$", re.MULTILINE)
_PACKAGE: Final = Path(__file__).resolve().parents[2]
_ARCHIVE: Final = _PACKAGE / "samples.zip"


def sample_files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield each sample file below `folder`, as its path relative to `folder` and its bytes.

    `folder` is relative to the root of a checkout, or of the archive.
    """
    if _ARCHIVE.is_file():
        with ZipFile(_ARCHIVE) as archive:
            for name in archive.namelist():
                if name.startswith(f"{folder}/"):
                    yield name.removeprefix(f"{folder}/"), archive.read(name)
        return
    root = _PACKAGE.parent / folder
    for path in sorted(root.rglob("*")):  # the file system lists them in no fixed order
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix(), path.read_bytes()


def sample_course_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of a course with five exercises, hand-ins and documentation."""
    for folder in _LARGE:
        for name, data in sample_files(folder):
            yield f"{folder}/{name}", data


def exercise_kinds() -> list[str]:
    """Return the kinds of small exercises that a new exercise can start from."""
    return sorted({name.partition("/")[0] for name, _ in sample_files(_EXERCISES)})


def exercise_from_sample(
    kind: str, exercise: str, title: str, language: str
) -> Mapping[str, bytes]:
    """Return the files of a new `exercise`, copied from the small sample exercise of this `kind`.

    Only the exercise's name, title, language and module change. The functions stay, for the author
    to replace. The files are keyed by path.
    """
    files = {name: data.decode() for name, data in sample_files(f"{_EXERCISES}/{kind}")}
    old_head = dict(_HEAD_LINE.findall(files[SETTINGS_NAME]))
    new_head = {"exercise": exercise, "title": title, "language": language}
    new_head["module"] = module_name_for(exercise)
    files[SETTINGS_NAME] = _HEAD_LINE.sub(
        # A JSON string is valid YAML, whatever characters the title contains.
        lambda match: f"{match[1]}: {json.dumps(new_head[match[1]], ensure_ascii=False)}",
        files[SETTINGS_NAME],
    )
    module_names = (f"{old_head['module']}.py", f"{new_head['module']}.py")
    headings = (f"# {old_head['title']}\n", f"# {title}\n")
    return {
        name.replace(*module_names): text.replace(*module_names).replace(*headings).encode()
        for name, text in files.items()
    }


def module_name_for(exercise: str) -> str:
    """Return the module name for a new `exercise`."""
    return exercise.replace("-", "_")


def write_new_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` to `folder`, creating folders as needed.

    Raises `UsageError` if one of the files already exists, before any is written. Raises
    `OutputError` if a file cannot be written.
    """
    folder_text = one_line(str(folder))
    # A broken link counts as existing, because writing would follow it.
    if existing := next((name for name in files if os.path.lexists(folder / name)), None):
        raise UsageError(
            f"{folder_text} already contains {existing}",
            help="choose another folder, because existing files are never overwritten",
        )
    path = folder
    try:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise OutputError(
            f"cannot write {one_line(str(path))}: {error.strerror}",
            help="choose a folder that you can write to, or free some space on its disk",
        ) from error
