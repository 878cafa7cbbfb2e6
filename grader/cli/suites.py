"""Which suite is meant, as commands take it: with the words of its course."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from grader.cli.terminal import misuse
from grader.errors import SuiteError
from grader.intake.submissions import Entry, collected
from grader.judging.rules import KINDS
from grader.reporting import wording
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.reporting.wording.catalogs import catalog, mistakes
from grader.suite.course import course_words
from grader.suite.exercises import (
    FitError,
    common_language,
    defining_files,
    find_suite,
    fitting_suite,
    home_of,
    suite_paths,
    suites_folder,
)
from grader.suite.model import Suite
from grader.values.foreign_text import one_line

_MOST_COPIES = 2
"""An older copy beside the real file is nothing unusual; three are several students."""


def worded_suite(exercise: str, named: Path | None, *, whole: bool = False) -> Suite:
    """Return the suite of `exercise` as `find_suite` does, in the words of its course."""
    suite = find_suite(exercise, named, KINDS, whole=whole)
    return in_words_of(home_of(exercise, named), suite)


def in_words_of(suites: Path, suite: Suite) -> Suite:
    """Return `suite`, which lies in the folder `suites`, in the words of its course."""
    return worded(suite, course_words(suites, suite.language))


def suite_of(entry: Entry, exercise: str | None, suites: Path | None) -> Suite:
    """Return the suite for `entry`; raises a `GraderError` where none is to be had.

    A folder with the modules of the exercise is one hand-in, whatever lies below it, such as the
    other solutions of a reference.
    """
    if exercise is not None:
        suite = worded_suite(exercise, suites)
    else:
        folder = suites_folder(suites)
        suite = in_words_of(folder, _fitting(entry, suite_paths(folder)))
    path = entry.path
    has_all = all((path / f"{module}.py").is_file() for module in suite.modules)
    if not has_all and len(rivals := defining_files(path, suite.defines)) > _MOST_COPIES:
        raise misuse(
            suite.language,
            "many_hand_ins",
            path=one_line(str(path)),
            count=len(rivals),
            names=", ".join(suite.defines),
            exercise=suite.exercise,
        )
    return suite


def language_of(exercise: str | None, suites: Path | None) -> str:
    """Return the language of `exercise`, or of all in `suites`; raises a `GraderError`."""
    if exercise is not None:
        return find_suite(exercise, suites, KINDS).language
    return common_language(suite_paths(suites_folder(suites)).values()) or DEFAULT_LANGUAGE


def _fitting(entry: Entry, paths: Mapping[str, Path]) -> Suite:
    try:
        return fitting_suite(entry, paths, KINDS)
    except FitError as error:
        key = "several_fit" if error.several else "none_fits"
        files = collected(entry).files.values()
        if files and not any(data.strip() for data in files):
            key = "empty"
        choices = ", ".join(error.choices)
        language = common_language(paths.values()) or DEFAULT_LANGUAGE
        path = one_line(str(entry.path))
        raise misuse(language, key, path=path, choices=choices) from None


def worded(suite: Suite, course: Mapping[str, str] | None = None) -> Suite:
    """Return `suite` with the sentences of its `course`, where it has none of its own for them.

    Raises `SuiteError` with all that is wrong with them. With sentences of a course it is another
    suite: what was graded and told before is graded and told again.
    """
    for whose, words in ((suite.exercise, suite.wording), ("the course", course or {})):
        if wrong := list(mistakes(words, catalog(suite.language))):
            raise SuiteError(
                f"`wording` of {whose}: " + "; ".join(wrong),
                help=f"the sentences are in {files(wording)}",
            )
    if not course:
        return suite
    said = json.dumps(sorted(course.items()))
    hashes = {
        name: hashlib.sha256(f"{getattr(suite, name)} {said}".encode()).hexdigest()
        for name in ("sha256", "asks")
    }
    return suite.changed(wording={**course, **suite.wording}, **hashes)
