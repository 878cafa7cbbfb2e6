"""Finds the suite for a command, with the course's own wording."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from grader.cli.terminal import labels, say, student_usage_error
from grader.errors import GraderError, SuiteError
from grader.intake.submissions import Entry, collect_hand_in, single_entry
from grader.judging.rules import KINDS
from grader.reporting import wording
from grader.reporting.wording import DEFAULT_LANGUAGE, LANGUAGES, Locale
from grader.reporting.wording.catalogs import catalog, replacement_mistakes
from grader.suite.course import COURSE_NAME, course_wording
from grader.suite.exercises import (
    FitError,
    UnknownExercise,
    common_language,
    defining_files,
    find_fitting_suite,
    find_other_fitting,
    find_suite,
    suite_folder,
    suite_paths,
    suites_folder,
)
from grader.suite.model import Suite
from grader.values.foreign_text import one_line

_LANGUAGE_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""Environment variables, in the order in which gettext reads them."""
_MAX_COPIES = 2
"""Two copies are one student's older and current version; three are several students' work."""


def find_suite_with_wording(exercise: str, suites: Path | None, *, whole: bool = False) -> Suite:
    """Return the suite of `exercise`, with its course's wording.

    See `find_suite` for the parameters. Raises `UsageError` if the exercise is unknown or the
    settings of the course are invalid, and `SuiteError` if the suite is invalid or the wording has
    mistakes.
    """
    suite = find_suite(exercise, suites, KINDS, whole=whole)
    return with_course_wording(suite_folder(exercise, suites), suite)


def with_course_wording(suites: Path, suite: Suite) -> Suite:
    """Return `suite`, from the folder `suites`, with the wording of its course.

    Raises `SuiteError` if the wording has mistakes, and `UsageError` if the settings of the course
    are invalid.
    """
    return with_wording(suite, course_wording(suites, suite.language))


def find_suite_for_entry(entry: Entry, exercise: str | None, suites: Path | None) -> Suite:
    """Return the suite of `exercise`, or if that is None the suite that `entry` fits.

    Raises a `GraderError` if there is no such suite, or if `entry` is a folder that seems to
    contain several hand-ins. A folder with all modules of the exercise is a single hand-in, even
    if its subfolders contain further solutions, as in a reference.
    """
    suite = (
        _recognise_suite(entry, suites)
        if exercise is None
        else _suite_for_exercise(exercise, suites)
    )
    path = entry.path
    has_all = all((path / f"{module}.py").is_file() for module in suite.modules)
    if not has_all and len(rivals := defining_files(path, suite.defines)) > _MAX_COPIES:
        raise student_usage_error(
            suite.language,
            "many_hand_ins",
            path=one_line(str(path)),
            count=len(rivals),
            names=", ".join(suite.defines),
            exercise=suite.exercise,
        )
    return suite


def _suite_for_exercise(exercise: str, suites: Path | None) -> Suite:
    """Return the suite of `exercise`.

    Raises `UsageError`, in the student's language, if the exercise is unknown.
    """
    try:
        return find_suite_with_wording(exercise, suites)
    except UnknownExercise as error:
        raise student_usage_error(
            likely_language(None, suites),
            "near_exercise" if error.closest else "exercise",
            exercise=one_line(exercise),
            meant=error.closest or "",
            folder=one_line(str(error.folder)),
            choices=", ".join(error.choices) or "–",  # noqa: RUF001 - a dash, for none
        ) from None


def _recognise_suite(entry: Entry, suites: Path | None) -> Suite:
    """Return the suite that `entry` fits.

    Raises `UsageError`, in the student's language, if it fits none or several.
    """
    folder = suites_folder(suites)
    try:
        return with_course_wording(folder, find_fitting_suite(entry, suite_paths(folder), KINDS))
    except FitError as error:
        key = "several_fit" if error.several else "none_fits"
        files = collect_hand_in(entry).files.values()
        if files and not any(data.strip() for data in files):
            key = "empty"
        choices, path = ", ".join(error.choices), one_line(str(entry.path))
        language = likely_language(None, suites)
        raise student_usage_error(language, key, path=path, choices=choices) from None


def print_other_exercise(entry: Entry, exercise: str, suites: Path | None) -> None:
    """Print which other exercise `entry` seems to be for, if it defines nothing from `exercise`."""
    with suppress(GraderError):  # this is only a hint, and must not prevent the check
        other_exercise = find_other_fitting(entry, exercise, suite_paths(suites_folder(suites)))
        if other_exercise is not None:
            locale = Locale.for_language(likely_language(exercise, suites))
            parameters = {"path": one_line(str(entry.path)), "exercise": one_line(exercise)}
            _, help_label = labels(locale)
            say(locale("usage_other_exercise", **parameters))
            advice = locale("usage_other_exercise_help", **parameters, other=other_exercise)
            say(f"  = {help_label} {advice}")


def likely_language(exercise: str | None, suites: Path | None, paths: Iterable[Path] = ()) -> str:
    """Return the user's likely language, for error messages.

    It is the language of `exercise`, or of the exercise that a file at `paths` fits, or the common
    language of all exercises, or else that of the environment.
    """
    return next(_languages(exercise, suites, paths), DEFAULT_LANGUAGE)


def _languages(exercise: str | None, suites: Path | None, paths: Iterable[Path]) -> Iterator[str]:
    """Yield the user's possible languages, most likely first."""
    # Errors are ignored, because the language is needed to report an error that came first.
    if exercise is not None:
        with suppress(GraderError):
            yield find_suite(exercise, suites, KINDS).language
    for path in paths:
        with suppress(GraderError):
            yield find_fitting_suite(
                single_entry(path), suite_paths(suites_folder(suites)), KINDS
            ).language
    with suppress(GraderError):
        if language := common_language(suite_paths(suites_folder(suites)).values()):
            yield language
    for name in _LANGUAGE_VARIABLES:
        # A value such as nl_BE.UTF-8 starts with the language.
        if (language := os.environ.get(name, "")[:2]) in LANGUAGES:
            yield language


def with_wording(suite: Suite, course: Mapping[str, str] | None = None) -> Suite:
    """Return `suite` with the wording `course` of its course, which its own wording overrides.

    Raises `SuiteError` if either wording has mistakes. A course's wording changes the hashes of the
    suite, so that earlier submissions are graded and reported again.
    """
    wordings = {suite.exercise: suite.wording, f"the course ({COURSE_NAME})": course or {}}
    for owner, replacements in wordings.items():
        if errors := list(replacement_mistakes(replacements, catalog(suite.language))):
            raise SuiteError(
                f"invalid `wording` of {owner}: " + "; ".join(errors),
                help=f"use only keys and parameters that are in the files in {files(wording)}",
            )
    if not course:
        return suite
    # Sorted, because the order in the file does not matter.
    sentences_json = json.dumps(sorted(course.items()))
    hashes = {
        name: hashlib.sha256(f"{getattr(suite, name)} {sentences_json}".encode()).hexdigest()
        for name in ("sha256", "asks")
    }
    return suite.with_changes(wording={**course, **suite.wording}, **hashes)
