"""Finds suites by exercise, by file, or by the names that a submission defines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Final

from grader.errors import UsageError
from grader.intake.rescue import defined_names, names_in
from grader.intake.submissions import Entry, collect_hand_in, read_submission
from grader.suite.files import is_hidden_suite, load_suite, load_whole_suite, required_names
from grader.suite.model import Suite
from grader.suite.rules import Kinds
from grader.values.foreign_text import one_line

FOLDER_NAME: Final = "testsuites"
REFERENCES: Final = "reference"
"""The folder of references, next to the folder of suites."""
FOLDER_VARIABLE: Final = "GRADER_SUITES"
_PACKAGE_FOLDER: Final = Path(__file__).resolve().parents[2] / FOLDER_NAME


class FitError(UsageError):
    """A submission fits no exercise, or several."""

    def __init__(self, entry: Entry, choices: Sequence[str], *, several: bool) -> None:
        """Store the `choices`: the exercises that fit, if `several` do, or else all exercises."""
        self.choices: Final = choices
        self.several: Final = several
        problem = "fits several exercises" if several else "defines the names of no known exercise"
        super().__init__(
            f"{one_line(str(entry.path))} {problem}",
            help=f"choose one with --exercise: {', '.join(choices)}",
        )


class UnknownExercise(UsageError):
    """No suite has the name of the requested exercise."""

    def __init__(self, exercise: str, folder: Path, choices: Sequence[str]) -> None:
        """Store the suites `folder`, the exercises in it, and the one most like `exercise`."""
        self.folder: Final = folder
        self.choices: Final = choices
        self.closest: Final = next(iter(get_close_matches(exercise, choices, n=1)), None)
        suggestion = f" (did you mean '{self.closest}'?)" if self.closest else ""
        known = ", ".join(choices) or "none"
        super().__init__(
            f"unknown exercise '{one_line(exercise)}'{suggestion}",
            help=f"exercises in {one_line(str(folder))}: {known}",
        )


def suites_folder(chosen_folder: Path | None) -> Path:
    """Return the folder of suites, which is `chosen_folder` or else the nearest `testsuites`.

    Without `chosen_folder`, try `$GRADER_SUITES`, then the current folder and its parents, then
    the folder next to this package. Raises `UsageError` if a folder that the user set does not
    exist, or if none is found.
    """
    option = "with --suites"
    if chosen_folder is None and (value := os.environ.get(FOLDER_VARIABLE)):
        chosen_folder, option = Path(value), f"in ${FOLDER_VARIABLE}"
    if chosen_folder is not None:
        if not os.path.isdir(chosen_folder):
            raise UsageError(
                f"there is no suites folder at {one_line(str(chosen_folder))}",
                help=f"give the path of an existing folder {option}",
            )
        return chosen_folder
    if (nearest := nearest_suites(Path.cwd())) is not None:
        return nearest
    if _PACKAGE_FOLDER.is_dir():
        return _PACKAGE_FOLDER
    raise UsageError(
        f"no folder '{FOLDER_NAME}' here or above",
        help="pass the path of a suite with --exercise FILE.yaml, or give the folder with --suites"
        f" or in ${FOLDER_VARIABLE}; to create a new course, run: grader new course FOLDER",
    )


def suite_folder(exercise: str | None, chosen_folder: Path | None) -> Path:
    """Return the folder in which `find_suite` looks for `exercise`.

    It is the suites folder if `exercise` is None. Raises `UsageError` if that folder is needed but
    does not exist.
    """
    if exercise is not None and exercise.endswith((".yaml", ".yml")):
        return Path(exercise).parent
    return suites_folder(chosen_folder)


def nearest_suites(start: Path) -> Path | None:
    """Return the folder `testsuites` in `start` or the nearest parent that has one, or None."""
    folders = (folder / FOLDER_NAME for folder in (start, *start.parents))
    return next(filter(Path.is_dir, folders), None)


def suite_paths(folder: Path) -> Mapping[str, Path]:
    """Return the public suite files in `folder`, keyed by the name of their exercise."""
    # Sorted, as the order of files in a folder is arbitrary.
    paths = (path for path in sorted(folder.glob("*.yaml")) if not is_hidden_suite(path))
    return {path.stem: path for path in paths}


def find_suite(
    exercise: str, chosen_folder: Path | None, kinds: Kinds, *, whole: bool = False
) -> Suite:
    """Return the suite for `exercise`, the path of a suite or the name of one in the suites folder.

    `chosen_folder` is the suites folder that the user chose, or None; see `suites_folder`. The
    suite's rules can be of `kinds`. With `whole`, the hidden part next to the suite is included.
    Raises `UsageError` for an unknown exercise and `SuiteError` for an invalid suite.
    """
    load = load_whole_suite if whole else load_suite
    if exercise.endswith((".yaml", ".yml")):
        if not os.path.isfile(exercise):
            raise UsageError(
                f"no such suite: {one_line(exercise)}",
                help="give the path of an existing file, or the name of an exercise without .yaml",
            )
        return load(Path(exercise), kinds)
    folder = suites_folder(chosen_folder)
    paths = suite_paths(folder)
    if exercise not in paths:
        raise UnknownExercise(exercise, folder, list(paths))
    return load(paths[exercise], kinds)


def find_fitting_suite(entry: Entry, paths: Mapping[str, Path], kinds: Kinds) -> Suite:
    """Return the only suite in `paths` whose names the submission at `entry` defines.

    A suite without required names is for a program, which is recognised by its file name. Files
    are only searched for definitions, so they are recognised even if they do not compile. Only the
    required names are read from suites that do not fit, so other mistakes in those suites do not
    matter. Raises `FitError` if no suite fits, or several do. Raises `SuiteError` if the fitting
    suite is invalid, or if none fits and the names of some suite cannot be read.
    """
    fitting, scores = _best_fits(entry, paths)
    if len(fitting) == 1:
        return load_suite(paths[fitting[0]], kinds)
    if not fitting:
        # Loading a suite whose names could not be read raises its mistakes.
        for exercise in sorted(paths.keys() - scores.keys()):
            load_suite(paths[exercise], kinds)
    raise FitError(entry, fitting or list(paths), several=bool(fitting))


def _best_fits(entry: Entry, paths: Mapping[str, Path]) -> tuple[list[str], Mapping[str, float]]:
    """Return the exercises in `paths` that `entry` fits best, and the score of each exercise.

    Exercises whose names cannot be read have no score.
    """
    required = {exercise: required_names(path) for exercise, path in paths.items()}
    scores = {exercise: _fit_score(entry, names) for exercise, names in required.items() if names}
    best = max(scores.values(), default=0.0)
    # A best score of 0 means that no exercise fits.
    return [exercise for exercise, score in scores.items() if score == best > 0], scores


def find_other_fitting(entry: Entry, exercise: str, paths: Mapping[str, Path]) -> str | None:
    """Return the only exercise in `paths` that `entry` fits, if it does not fit `exercise`.

    Return None if it fits `exercise`, no exercise, or several. Also return None if the required
    names of `exercise` are not known.
    """
    if (
        exercise not in paths
        or not (required := required_names(paths[exercise]))
        or _fit_score(entry, required)
    ):
        return None
    fitting, _ = _best_fits(entry, paths)
    return fitting[0] if len(fitting) == 1 else None


def common_language(paths: Iterable[Path]) -> str | None:
    """Return the language of all suites at `paths`, or None if they differ or one is unknown."""
    languages = {tuple(required_names(path).get("language", ())) for path in paths}
    return languages.pop()[0] if len(languages) == 1 and () not in languages else None


def defining_files(folder: Path, names: Sequence[str]) -> list[str]:
    """Return the Python files below `folder` that define one of `names`.

    If `names` belong to modules, return the copies of only one module, the one with the most
    copies. Return an empty list if `folder` is not a folder, or if there are no `names`.
    """
    if not os.path.isdir(folder) or not names:
        return []
    files = collect_hand_in(Entry("", folder)).files
    by_module: dict[str, list[str]] = {}
    for dotted_name in names:
        module, _, name = dotted_name.rpartition(".")
        by_module.setdefault(module, []).append(name)
    copies = [
        [
            file
            for file, data in files.items()
            if not defined_names(data).isdisjoint(module_names)
            and (not module or _is_named_like(module, file))
        ]
        for module, module_names in by_module.items()
    ]
    return max(copies, key=len)


def _is_named_like(module: str, file: str) -> bool:
    """Return whether `file` is named like `module`, ignoring case."""
    return PurePosixPath(file).name.casefold() == f"{module}.py".casefold()


def _fit_score(entry: Entry, required: Mapping[str, list[str]]) -> float:
    """Return how well the submission at `entry` fits the `required` names, from 0 to 1.

    `required` is the result of `required_names`.
    """
    if required["defines"]:
        return _defined_share(entry, required)
    files = collect_hand_in(entry).files
    modules = (*required["module"], *required["modules"])
    return float(any(_is_named_like(module, file) for module in modules for file in files))


def _defined_share(entry: Entry, names: Mapping[str, list[str]]) -> float:
    """Return the share of the required names that a submission seems to define, ignoring case.

    `names` is the result of `required_names`.
    """
    submission = read_submission(entry, names["modules"] or names["module"], names["defines"])
    defined = {
        f"{module}.{name}".casefold()
        for module, alias in submission.parts.items()
        for name in names_in(submission.modules[alias].text)
    }
    required = [".".join((*names["module"], name)).casefold() for name in names["defines"]]
    return sum(name in defined for name in required) / len(required)
