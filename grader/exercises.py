"""Finds suites: by exercise, by file, or by the names that a submission defines."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Final

from grader.display import one_line
from grader.errors import UsageError
from grader.intake.files import read_folder
from grader.intake.submissions import Entry, read
from grader.loading import is_hidden_suite, load_suite, load_whole_suite
from grader.suite import Suite

FOLDER_NAME: Final = "testsuites"
FOLDER_VARIABLE: Final = "GRADER_SUITES"
_PACKAGE_FOLDER: Final = Path(__file__).resolve().parents[1] / FOLDER_NAME


def suites_folder(named: Path | None) -> Path:
    """Return the folder of suites: the one named, or the nearest `testsuites`.

    Looks at `$GRADER_SUITES`, then here and in the folders above, then beside this package.
    Raises `UsageError` when there is none.
    """
    if named is None and (value := os.environ.get(FOLDER_VARIABLE)):
        named = Path(value)
    if named is not None:
        if not os.path.isdir(named):
            raise UsageError(f"no such folder of suites: {one_line(str(named))}")
        return named
    here = Path.cwd()
    for folder in (*(above / FOLDER_NAME for above in (here, *here.parents)), _PACKAGE_FOLDER):
        if folder.is_dir():
            return folder
    raise UsageError(
        f"no folder '{FOLDER_NAME}' here or above",
        help=f"name it with --suites, or in ${FOLDER_VARIABLE}",
    )


def suite_paths(folder: Path) -> Mapping[str, Path]:
    """Return the suite files in `folder` by the name of their exercise; hidden ones are none."""
    paths = (path for path in sorted(folder.glob("*.yaml")) if not is_hidden_suite(path))
    return {path.stem: path for path in paths}


def find_suite(exercise: str, named: Path | None, *, whole: bool = False) -> Suite:
    """Return the suite of `exercise`: the path of a suite, or a name in the folder of suites.

    `named` is the folder that the user named, if any; see `suites_folder`. The `whole` suite has
    the hidden part that lies beside it. Raises `UsageError` for an unknown exercise and
    `SuiteError` for an invalid suite.
    """
    load = load_whole_suite if whole else load_suite
    if exercise.endswith((".yaml", ".yml")):
        if not os.path.isfile(exercise):
            raise UsageError(f"no such suite: {one_line(exercise)}")
        return load(Path(exercise))
    folder = suites_folder(named)
    paths = suite_paths(folder)
    if exercise not in paths:
        near = get_close_matches(exercise, paths, n=1)
        meant = f" (did you mean '{near[0]}'?)" if near else ""
        known = ", ".join(paths) or "none"
        raise UsageError(
            f"unknown exercise '{one_line(exercise)}'{meant}",
            help=f"exercises in {one_line(str(folder))}: {known}",
        )
    return load(paths[exercise])


def exercise_of(entry: Entry, suites: Sequence[Suite]) -> Suite:
    """Return the suite whose names the submission at `entry` defines.

    The text is only searched for definitions, so a file that does not compile is recognised too.
    Raises `UsageError` when no suite fits, or several do.
    """
    scored = [(_defined(entry, suite), suite) for suite in suites]
    best = max((score for score, _ in scored), default=0.0)
    fitting = [suite for score, suite in scored if score == best > 0]
    if len(fitting) == 1:
        return fitting[0]
    choices = ", ".join(suite.exercise for suite in fitting or suites)
    problem = "fits several exercises" if fitting else "defines the names of no known exercise"
    raise UsageError(
        f"{one_line(str(entry.path))} {problem}", help=f"say which with --exercise: {choices}"
    )


def defining_files(folder: Path, names: Sequence[str]) -> list[str]:
    """Return the Python files below `folder` that define one of `names`; none for a file.

    Of names in several modules it returns the files of the module with most of them.
    """
    if not os.path.isdir(folder) or not names:
        return []
    files, _ = read_folder(folder)
    copies = [
        [
            file
            for file, data in files.items()
            if definition.search(data) and (not module or _is_file_of(module, file))
        ]
        for module, definition in _definitions(names).items()
    ]
    return max(copies, key=len)


def _definitions(names: Sequence[str]) -> Mapping[str, re.Pattern[bytes]]:
    """Return what finds a definition of one of `names`, by the module that they stand in.

    That is "" for names without one.
    """
    inside: dict[str, list[bytes]] = {}
    for dotted in names:
        module, _, name = dotted.rpartition(".")
        inside.setdefault(module, []).append(re.escape(name.encode()))
    return {
        module: re.compile(rb"^(?:class|def)\s+(?:" + b"|".join(each) + rb")\b", re.MULTILINE)
        for module, each in inside.items()
    }


def _is_file_of(module: str, file: str) -> bool:
    return PurePosixPath(file).name.casefold() == f"{module}.py".casefold()


def _defined(entry: Entry, suite: Suite) -> float:
    """Return which part of the names of `suite` the submission seems to define, case aside."""
    submission = read(entry, suite.module, suite.defines)
    texts = {module: submission.modules[by].text for module, by in submission.parts.items()}
    if submission.main is not None:
        texts[""] = submission.main.text
    if not suite.defines:
        return 0.0
    found = {
        f"{module}.{name}".lstrip(".").casefold()
        for module, text in texts.items()
        for name in re.findall(r"^(?:class|(?:async )?def)\s+(\w+)", text, re.MULTILINE)
    }
    wanted = [name.casefold() for name in suite.defines]
    return sum(name in found for name in wanted) / len(wanted)
