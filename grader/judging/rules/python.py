"""A rule on Python: the version that must be able to read a submission, as far as syntax tells.

A module that cannot be read tells nothing: what the others show to be broken is broken, and nothing
is passed on their word alone.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import ConfigDict, Field

from grader.judging.results import Hit, Ruling, broken, passed, skipped
from grader.judging.rules.functions import MOST_HITS, listed_name, unreadable
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.messages import Message, message
from grader.sandbox.survey import TooNew
from grader.suite import texts
from grader.suite.fields import parsed_by, pattern_of
from grader.suite.model import Suite

_Version: TypeAlias = Annotated[
    tuple[int, int], parsed_by(texts.python_version), pattern_of(texts.VERSION_PATTERN)
]
_WRITTEN: Final = {
    "any expression as decorator": "@(…)",
    "f-string with =": 'f"{x=}"',
    "from __future__ import annotations": "from __future__ import annotations",
    "except*": "except*",
    "match": "match",
    "parenthesized with": "with (…):",
    "positional-only parameter": "def f(x, /)",
    "quotes nested in an f-string": 'f"{"…"}"',
    "star in an index": "x[*y]",
    "type parameter": "def f[T]()",
    "type statement": "type X = …",
    "walrus": ":=",
}
"""What each newer syntax looks like, which is the same in every language."""
_MOST_SAID: Final = 10
"""So many kinds of syntax that is too new have a sentence of their own."""


class Python(JudgedRule):
    """The version of Python that must be able to read a submission."""

    model_config = ConfigDict(title="python")

    kind: ClassVar[str] = "python"
    summary: ClassVar[str] = "The version of Python that must be able to read a submission."
    example: ClassVar[dict[str, Any]] = {"version": "3.6"}
    most: ClassVar[int | None] = 1

    version: _Version = Field(
        description="The version, in quotes. Newer syntax is against the rule; newer functions of "
        "the library are not seen.",
        examples=["3.6"],
    )

    def sentence(self) -> Message:
        """Say which version it is."""
        return message("demand.python", version=self._text())

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source, which was surveyed with this version in mind."""
        survey, asked = evidence.survey, self._text()
        if survey.too_new:
            ordered = sorted(survey.too_new, key=lambda each: each.place)
            since = {_written(each): each.since for each in ordered}
            told = [
                message("syntax.too_new", what=what, since=f"{major}.{minor}", asked=asked)
                for what, (major, minor) in list(since.items())[:_MOST_SAID]
            ]
            hits = [Hit(place=each.place, what=_written(each)) for each in ordered]
            return broken(*told, hits=tuple(hits[:MOST_HITS]))
        if survey.unparsed:
            return skipped(unreadable(survey))
        return passed(message("syntax.old_enough", asked=asked))

    def _text(self) -> str:
        major, minor = self.version
        return f"{major}.{minor}"


def _written(new: TooNew) -> str:
    return _WRITTEN.get(new.what, listed_name(new.what))


def version_asked(suite: Suite) -> tuple[int, int] | None:
    """Return the version of Python that a rule of `suite` asks for, if any does."""
    return next((rule.version for rule in suite.rules if isinstance(rule, Python)), None)
