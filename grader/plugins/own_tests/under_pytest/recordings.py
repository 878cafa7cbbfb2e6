"""Has what tests do with a submission taken down, test by test, as pytest runs them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import pytest

from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import RecordedSide

STEPS: Final = "steps"
NAMES: Final = "names"
CLOSED: Final = "closed"
"""Under which names a report has the steps of its test, the names of the submission that these
need, and why there are no more."""


class Recordings:
    """Adds to the report of each test what it has done."""

    def __init__(self, side: RecordedSide, settings: OwnSettings) -> None:
        """Listen at `side` to what tests ask."""
        self._side: Final = side
        side.folders, side.is_alone = tuple(settings.folders), len(settings.recorded) == 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin a session."""
        self._side.begin_session()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """End it with the test; what is torn down belongs to no test."""
        session = self._side.session
        if call.when == "call":
            facts = [
                (STEPS, session.steps()), (NAMES, sorted(session.names)), (CLOSED, session.closed)
            ]  # fmt: skip
            session.close("it is over")
        report = yield
        if call.when == "call":
            report.user_properties += facts
        return report
