"""Reads the submission and the tests that are named on the command line of `grader pytest`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.intake.kinds import without_suffix
from grader.intake.submission import Submission
from grader.intake.submissions import HandIn, collect_hand_in, single_entry
from grader.plugins.own_tests.proxying.handed_in import submission_of
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.suite.model import LanguageCode
from grader.values.foreign_text import one_line


def default_settings(
    tests: Sequence[Path], title: str | None, language: LanguageCode
) -> OwnSettings:
    """Return the default settings for `tests`.

    The exercise is named after `title`, or after the first of the `tests` if there is no title.
    """
    title = title or without_suffix(tests[0].absolute().name)
    return OwnSettings(
        arguments=tuple(map(str, tests)),
        paths=tuple(str(path.absolute()) for path in tests),
        title=one_line(title),
        exercise=re.sub("[^a-z0-9]+", "-", title.lower()).strip("-") or "tests",
        language=language,
    )


def hand_in_at(path: Path) -> HandIn:
    """Return the hand-in at `path`, a file or a folder."""
    return collect_hand_in(single_entry(path))


def submission_at(path: Path, settings: OwnSettings) -> Submission:
    """Return the submission at `path`, with the modules that the tests in `settings` import."""
    return submission_of(hand_in_at(path), settings.files)
