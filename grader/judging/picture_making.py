"""Has pictures made of what failed, where the plug-in that makes them is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from grader.judging.pictures import AnyPicture
from grader.judging.results import Result, Results
from grader.sandbox.sessions import SessionRunner
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case


class MakesPictures(Protocol):
    """Makes the pictures of one record."""

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return what can be drawn of a case with this `result`."""


class DrawsCalls(Protocol):
    """Draws the calls of one submission."""

    def drawn(self, session: Session, results: Results) -> Results:
        """Return `results`, those of cases that failed with the calls that were made."""


class _Nobody:
    """Draws nothing."""

    def pictures(self, *_asked: object) -> tuple[AnyPicture, ...]:
        return ()

    def drawn(self, _session: Session, results: Results) -> Results:
        return results


def picture_maker(suite: Suite, taken: Iterable[AnyPicture] = ()) -> MakesPictures:
    """Return what makes pictures for `suite`, besides those `taken` already."""
    drawing = EXTRAS.find("pictures")
    maker: MakesPictures = _Nobody() if drawing is None else drawing(suite, taken)
    return maker


def call_drawer(suite: Suite, runner: SessionRunner, parts: Mapping[str, str]) -> DrawsCalls:
    """Return what draws calls, in sessions of `suite` that run like `runner`.

    `parts` says what each module of the exercise is imported by.
    """
    drawing = EXTRAS.find("calls")
    drawer: DrawsCalls = _Nobody() if drawing is None else drawing(suite, runner, parts)
    return drawer
