"""Sessions that went well, and that are known again when another submission shows the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from builders import suite

from grader.judging import clean_runs
from grader.judging.answers import AnswerChecker
from grader.judging.clean_runs import clean_sessions
from grader.judging.matching import assess
from grader.judging.results import Result
from grader.sandbox.observation import (
    Frame,
    ImportObservation,
    Observation,
    Raised,
    Returned,
)
from grader.sandbox.planning import whole_session
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values.tree import Atom

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

WentWell: TypeAlias = Callable[[Sequence[Observation]], bool]
STEPS = "{do: f(1), returns: '1', group: g}, {do: f(2), returns: '2', group: g}"
NOTHING = ImportObservation(
    observation=Observation(outcome=Returned(value=Atom(None), identity=None)),
    defined=frozenset(),
)


def observed(*values: int) -> list[Observation]:
    """Return observations of steps that gave these `values`."""
    return [Observation(outcome=Returned(value=Atom(each), identity=None)) for each in values]


@pytest.fixture
def asked() -> Suite:
    """A suite of one session with two cases."""
    return suite(f"groups: [{{id: g, points: 1}}]\nsessions:\n- {{id: s, steps: [{STEPS}]}}\n")


@pytest.fixture
def matched(monkeypatch: pytest.MonkeyPatch) -> list[Session]:
    """The session of each case that has been matched."""
    sessions = list[Session]()

    def noted(session: Session, *about: Any) -> Result | None:
        sessions.append(session)
        return assess(session, *about)

    monkeypatch.setattr(clean_runs, "assess", noted)
    return sessions


@pytest.fixture
def went_well(asked: Suite, zygote: Zygote) -> WentWell:
    """Tells whether the session of the suite is said to have gone well."""
    (session,) = asked.sessions
    checker = AnswerChecker(asked, zygote)

    def said(observations: Sequence[Observation]) -> bool:
        run = SessionRun(whole_session(session), NOTHING, [*observations])
        return bool(clean_sessions([(session, run)], checker))

    return said


def test_what_was_observed_before_is_not_matched_again(
    went_well: WentWell, matched: list[Session]
) -> None:
    """The same objects are known; equal ones that are others are matched."""
    right = observed(1, 2)
    assert went_well(right)
    assert 2 == len(matched)
    assert went_well(right)
    assert 2 == len(matched)
    assert went_well(observed(1, 2))
    assert 4 == len(matched)


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param([], id="never reached"),
        pytest.param(observed(1), id="cut short"),
        pytest.param(observed(1, 1), id="wrong"),
        pytest.param(
            [*observed(1), Observation(outcome=Raised(type_names=("E",), message=""))], id="raised"
        ),
    ],
)
def test_what_did_not_go_well_is_never_known(
    went_well: WentWell, observations: Sequence[Observation]
) -> None:
    """Neither at first nor when it comes again, nor after it went well."""
    assert not went_well(observations)
    assert not went_well(observations)
    assert went_well(observed(1, 2))
    assert not went_well(observations)


def test_little_is_kept(asked: Suite, went_well: WentWell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that always shows something else does not fill the memory."""
    monkeypatch.setattr(clean_runs, "_MAX_CACHED", 2)
    for _ in range(5):
        assert went_well(observed(1, 2))
    (session,) = asked.sessions
    assert len(clean_runs._CACHED_RUNS[session]) <= 2


def test_where_an_exception_came_from_is_nothing_new(
    asked: Suite, zygote: Zygote, matched: list[Session]
) -> None:
    """The same exception of other lines of another file is known again, another message is not."""
    steps = "{do: f(1), raises: ValueError, group: g}"
    (session,) = suite(
        f"groups: [{{id: g, points: 1}}]\nsessions:\n- {{id: s, steps: [{steps}]}}\n"
    ).sessions
    checker = AnswerChecker(asked, zygote)
    for file, said, count in (("a.py", "no", 1), ("b.py", "no", 1), ("b.py", "never", 2)):
        raised = Raised(
            type_names=("ValueError",), message=said, frames=(Frame(file, 1, "f"),), depth=1
        )
        run = SessionRun(whole_session(session), NOTHING, [Observation(outcome=raised)])
        assert [session] == clean_sessions([(session, run)], checker)
        assert count == len(matched)
