"""The submission that an instructor's own tests are tried on, as `grader pytest` names it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.intake.kinds import without_suffix
from grader.intake.submission import Submission
from grader.intake.submissions import HandIn, collected, single_entry
from grader.plugins.own_tests.proxying.handed_in import submission_of
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE
from grader.store.graded import unpacked_hand_in
from grader.suite.model import LanguageCode
from grader.values.foreign_text import one_line

TESTS_VARIABLE: Final = "GRADER_OWN_TESTS"
"""Where `grader pytest` says, as JSON, how to run tests of an instructor."""


def own_settings(tests: Sequence[Path], title: str | None, language: LanguageCode) -> OwnSettings:
    """Return how `tests` are run where nothing else is said.

    The exercise is called like its `title`, or like the tests.
    """
    title = title or without_suffix(tests[0].absolute().name)
    return OwnSettings(
        arguments=tuple(map(str, tests)),
        paths=tuple(str(each.absolute()) for each in tests),
        title=one_line(title),
        exercise=re.sub("[^a-z0-9]+", "-", title.lower()).strip("-") or "tests",
        language=language,
    )


def name_for_pytest(own: OwnSettings, submission: Path) -> None:
    """Have pytest, and the processes that it starts, try `own` tests on what is at `submission`."""
    os.environ[TESTS_VARIABLE] = own.to_json()
    os.environ[SUBMISSION_VARIABLE] = str(submission.absolute())


def named_settings() -> OwnSettings:
    """Return the settings that were named."""
    return OwnSettings.from_json(os.environ[TESTS_VARIABLE])


def named_submission(own: OwnSettings) -> Submission:
    """Return the submission that was named."""
    return submission_at(Path(os.environ[SUBMISSION_VARIABLE]), own)


def submission_at(path: Path, own: OwnSettings) -> Submission:
    """Return what lies at `path`, with the modules that the tests import."""
    return submission_of(_hand_in_at(path, own), own.files)


def _hand_in_at(path: Path, own: OwnSettings) -> HandIn:
    if own.student is not None:
        return unpacked_hand_in(path.read_bytes(), own.student)
    return collected(single_entry(path))
