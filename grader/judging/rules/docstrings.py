"""A rule on docstrings: which functions must have one.

A module that cannot be read tells nothing: what the others show to be broken is broken, and nothing
is passed on their word alone.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import ConfigDict, Field

from grader.judging.results import Hit, Ruling, broken, passed, skipped
from grader.judging.rules.functions import (
    MOST_HITS,
    definitions,
    in_code,
    is_nested,
    label,
    listed_name,
    not_found,
    unreadable,
    without_module,
)
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, Survey
from grader.suite.fields import Items
from grader.suite.rules import FunctionName, Scope


class Docstrings(JudgedRule):
    """Functions that must have a docstring."""

    model_config = ConfigDict(title="docstrings")

    kind: ClassVar[str] = "docstrings"
    summary: ClassVar[str] = "Functions that must have a docstring."
    example: ClassVar[dict[str, Any]] = {}

    functions: Items[FunctionName] | None = Field(
        default=None,
        min_length=1,
        description="The functions that it is about. Default: all that are neither private nor "
        "nested.",
        examples=[["Board.make_board"]],
    )

    def check(self, scope: Scope) -> None:
        """Report unknown functions."""
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Say which functions must have a docstring."""
        if self.functions is None:
            return message("demand.docstrings")
        functions = in_code(map(label, self.functions), None)
        return message("demand.docstrings_of", count=len(self.functions), functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        survey = evidence.survey
        names = map(evidence.dotted, self.functions or ())
        named = {name: definitions(survey, name) for name in names}
        found = [facts for each in named.values() for facts in each]
        looked_at = found if named else _public(survey)
        bare = [facts for facts in looked_at if not facts.has_docstring]
        if bare:
            bare_names = [without_module(facts) for facts in bare]
            said = message("syntax.docstrings", count=len(bare), functions=in_code(bare_names))
            hits = [
                Hit(place=facts.place, what=listed_name(without_module(facts))) for facts in bare
            ]
            return broken(said, hits=tuple(hits[:MOST_HITS]))
        for name, each in named.items():
            if not each:
                return not_found(survey, name)
        if survey.unparsed and not named:
            return skipped(unreadable(survey))
        return passed(message("syntax.docstrings_present"))


def _public(survey: Survey) -> list[FunctionSurvey]:
    """Return the functions that others use: neither nested, nor private, nor defined anew later."""
    ordered = sorted(survey.functions, key=lambda facts: facts.place)
    last = {facts.name: facts for facts in ordered if not is_nested(facts.name)}
    return [
        facts
        for facts in last.values()
        if not any(part.startswith("_") for part in without_module(facts).split("."))
    ]
