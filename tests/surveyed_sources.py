"""Surveys of sources, and places that are marked in them."""

from __future__ import annotations

from collections.abc import Mapping

from grader.sandbox.observation import CodePlace
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.survey import FunctionSurvey, Survey, request_survey
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits

BEGIN, END = "⟦", "⟧"
"""Around what is to be found in a snippet."""


def maybe(
    zygote: Zygote,
    sources: Mapping[str, str],
    python: tuple[int, int] | None = None,
    limits: Limits | None = None,
) -> Survey | None:
    """Return the survey of modules, None if there is none."""
    files = {name: (f"{name}.py", text) for name, text in sources.items()}
    program = Program.from_sources(files, {})
    runner = SessionRunner(zygote, program, limits or Limits())
    return request_survey(runner, list(sources), python)


def survey(zygote: Zygote, source: str, **modules: str) -> Survey:
    """Return the survey of a module `m`, and of others."""
    found = maybe(zygote, {"m": source, **modules})
    assert found is not None, "an honest module can be surveyed"
    return found


def unmarked(marked: str) -> tuple[str, list[tuple[int, int, int, int]]]:
    """Return the source in `marked`, and the places that are marked in it, as (line, column)s."""
    source: list[str] = []
    line, column = 1, 1
    opened: list[tuple[int, int]] = []
    places = []
    for character in marked:
        if character == BEGIN:
            opened.append((line, column))
        elif character == END:
            places.append((*opened.pop(), line, column))
        else:
            source.append(character)
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    return "".join(source), sorted(places)


def spans(places: list[CodePlace]) -> list[tuple[int, int, int, int]]:
    """Return `places` as (line, column)s, in order."""
    return sorted((at.line, at.column, at.end_line, at.end_column) for at in places)


def function(found: Survey, name: str) -> FunctionSurvey:
    """Return the facts about the last function of that name."""
    return [each for each in found.functions if each.name == name][-1]


def digests(zygote: Zygote, source: str, *names: str) -> dict[str, str]:
    """Return the digests of what `source` defines by these names."""
    runner = SessionRunner(zygote, Program.from_sources({"m": ("m.py", source)}, {}), Limits())
    found = request_survey(runner, ["m"], definitions=[f"m.{name}" for name in names])
    assert found is not None, "an honest module can be surveyed"
    return {each.name.removeprefix("m."): each.digest for each in found.definitions}
