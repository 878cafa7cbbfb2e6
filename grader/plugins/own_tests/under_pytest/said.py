"""What pytest knows of a test that did not pass, as facts that a record can tell from."""

from __future__ import annotations

import doctest
import inspect
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Final

import pytest

from grader.plugins.own_tests.proxying.records import Raised
from grader.plugins.own_tests.proxying.tracebacks import SHOWN_IN

FACTS: Final = frozenset({"title", "said", "raised", "verdict", "points", "max_points"})
"""What a record takes from the properties of a report; others are the test's own."""
_SENTENCE: Final = re.compile(r"(.+?[.!?])(?:\s|$)")
_OURS: Final = ("grader.plugins.own_tests.bridge", "grader.plugins.own_tests.proxying")
_LINES_OF_OURS: Final = f"{SHOWN_IN}/"


def facts_of(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> Iterator[tuple[str, object]]:
    """Yield what is worth knowing of a test besides its verdict, as plain data."""
    yield "title", _first_sentence(getattr(item, "obj", None))
    if call.excinfo is None or report.outcome != "failed":
        return
    error, crash = call.excinfo.value, getattr(report.longrepr, "reprcrash", None)
    said = getattr(crash, "message", "")
    if isinstance(error, doctest.UnexpectedException):
        yield from swallowed(error.exc_info[1])
        return
    if isinstance(error, doctest.DocTestFailure):
        said = f"{error.example.source}expected: {error.example.want}got: {error.got}"
    yield "said", said
    yield "raised", asdict(told_of(error, said))


def swallowed(error: BaseException | None) -> Iterator[tuple[str, object]]:
    """Yield what the submission raised, where the test did not end with it.

    Where a function of the tests has raised it, its text is not told.
    """
    if error is not None:
        with suppress(Exception):  # its text is the submission's
            said = "".join(traceback.format_exception_only(error)).strip()
            yield "raised", asdict(told_of(error, said))


def told_of(error: BaseException, said: str) -> Raised:
    """Return what is known of an exception of which pytest has `said` this."""
    file, line, function = "", 0, ""
    is_own = error.__traceback__ is None  # nobody raised it: it says what is not there
    for frame, number in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        module = frame.f_globals.get("__name__", "")
        if path.startswith(_LINES_OF_OURS):
            file, line = path.removeprefix(_LINES_OF_OURS), number
            function, is_own = frame.f_code.co_name, True
        else:
            is_own = isinstance(module, str) and module.startswith(_OURS)
    return Raised(
        type=type(error).__name__,
        said=said if is_own else "",
        is_own=is_own,
        file=file,
        line=line,
        function=function,
    )


def _first_sentence(test: object) -> str:
    text = " ".join((inspect.getdoc(test) or "").partition("\n\n")[0].split())
    found = _SENTENCE.match(text)
    return found[1] if found else text
