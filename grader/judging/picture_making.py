"""Calls the plug-in that makes pictures of failed cases, where it is installed."""

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
    """Makes the pictures for one record."""

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return the pictures of a case with this `result`."""


class DrawsCalls(Protocol):
    """Draws the calls of one submission."""

    def drawn(self, session: Session, results: Results) -> Results:
        """Return `results`, with the calls added to those of failed cases."""


class _NoDrawing:
    """Draws nothing."""

    def pictures(self, *_asked: object) -> tuple[AnyPicture, ...]:
        return ()

    def drawn(self, _session: Session, results: Results) -> Results:
        return results


def picture_maker(suite: Suite, existing: Iterable[AnyPicture] = ()) -> MakesPictures:
    """Return the picture maker for `suite`, for a record that already has `existing` pictures."""
    drawing = EXTRAS.find("pictures")
    maker: MakesPictures = _NoDrawing() if drawing is None else drawing(suite, existing)
    return maker


def call_drawer(suite: Suite, runner: SessionRunner, parts: Mapping[str, str]) -> DrawsCalls:
    """Return the drawer of calls for sessions of `suite` that run like `runner`.

    `parts` maps each module of the exercise to the name it is imported by.
    """
    drawing = EXTRAS.find("calls")
    drawer: DrawsCalls = _NoDrawing() if drawing is None else drawing(suite, runner, parts)
    return drawer
