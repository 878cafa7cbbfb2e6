"""A right program, suites for it and mistakes in it, as an audit has them."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import dedent
from typing import Final

from builders import suite

from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.mutating import Mutant
from grader.suite.model import Suite

RIGHT: Final = """
    def twice(n):
        return 2 * n
    def least(a,
              b=9):
        return a if a < b else b
    SIGN = '!'
"""


def suite_of(*sessions: Iterable[tuple[str, str]]) -> Suite:
    """Return a suite with these sessions: calls with what they must return."""
    body = "groups: [{id: g, points: 1}]\nsessions:\n"
    for number, steps in enumerate(sessions):
        body += f"- id: s{number}\n  steps:\n"
        body += "".join(
            f"  - {{do: '{call}', returns: '{value}', group: g}}\n" for call, value in steps
        )
    return suite(body)


TWO: Final = suite_of([("twice(3)", "6")], [("least(4, 3)", "3")])


def program(source: str) -> dict[str, str]:
    """Return the sources of a program."""
    return {"sample": dedent(source)}


def mutant(source: str, line: int, *, misconception: bool = False) -> WrongProgram:
    """Return the reference with one mistake on a line."""
    made = Mutant(
        module_name="sample",
        mutator="constant",
        line=line,
        before="",
        after="",
        source=dedent(source),
        id="0123abcd",
        misconception=misconception,
    )
    kind = WrongProgramSource.MISCONCEPTION if misconception else WrongProgramSource.MUTANT
    return WrongProgram(id=made.id, kind=kind, sources=program(source), mutant=made)
