"""Gives access to the plug-in that makes pictures for failed cases, if it is installed."""

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


class AnyPictureMaker(Protocol):
    """Makes the pictures for one record."""

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return the pictures for `case` of `session` with this `result`."""


class AnyCallDrawer(Protocol):
    """Draws the calls of one submission."""

    def draw_calls(self, session: Session, results: Results) -> Results:
        """Return `results` with pictures of the calls added to failed cases of `session`."""


class _NoDrawing:
    """Stands in for the plug-in if it is not installed, and draws nothing."""

    def pictures(self, *_arguments: object) -> tuple[AnyPicture, ...]:
        return ()

    def draw_calls(self, _session: Session, results: Results) -> Results:
        return results


def picture_maker(suite: Suite, existing: Iterable[AnyPicture] = ()) -> AnyPictureMaker:
    """Return the picture maker for a record on `suite` that already has `existing` pictures.

    Without the plug-in, it makes no pictures.
    """
    plugin = EXTRAS.find("pictures")
    maker: AnyPictureMaker = _NoDrawing() if plugin is None else plugin(suite, existing)
    return maker


def call_drawer(suite: Suite, runner: SessionRunner, parts: Mapping[str, str]) -> AnyCallDrawer:
    """Return the call drawer for `suite`; it runs sessions with the program of `runner`.

    `parts` maps each module of the exercise to the name under which it is imported. Without the
    plug-in, nothing is drawn.
    """
    plugin = EXTRAS.find("calls")
    drawer: AnyCallDrawer = _NoDrawing() if plugin is None else plugin(suite, runner, parts)
    return drawer
