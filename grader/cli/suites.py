"""Suites as commands take them: with the words of their course."""

from __future__ import annotations

from pathlib import Path

from grader.judging.rules import KINDS
from grader.reporting.wording.own import worded
from grader.suite.course import course_words
from grader.suite.exercises import find_suite, home_of
from grader.suite.model import Suite


def worded_suite(exercise: str, named: Path | None, *, whole: bool = False) -> Suite:
    """Return the suite of `exercise` as `find_suite` does, in the words of its course."""
    suite = find_suite(exercise, named, KINDS, whole=whole)
    return in_words_of(home_of(exercise, named), suite)


def in_words_of(suites: Path, suite: Suite) -> Suite:
    """Return `suite`, which lies in the folder `suites`, in the words of its course."""
    return worded(suite, course_words(suites, suite.language))
