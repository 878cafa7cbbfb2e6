"""A rule on constructs: what functions, or all code, must do without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import ConfigDict, Field

from grader.judging.rules.forbidden import forbidden, judge_forbidden
from grader.judging.rules.rule import Evidence, JudgedRule, Ruling
from grader.messages import Message
from grader.suite import texts
from grader.suite.document import NodePath
from grader.suite.fields import Items, parsed_by
from grader.suite.rules import FunctionName, Scope
from grader.suite.vocabulary import COMPREHENSIONS, FORBIDDABLE, expanded_constructs

_ConstructName: TypeAlias = Annotated[
    str, parsed_by(texts.construct), Field(json_schema_extra={"enum": [*FORBIDDABLE]})
]


class Constructs(JudgedRule):
    """Constructs that a submission must do without."""

    model_config = ConfigDict(title="constructs")

    kind: ClassVar[str] = "constructs"
    summary: ClassVar[str] = "Constructs that must not be used."
    example: ClassVar[dict[str, Any]] = {"forbid": ["class", "lambda"]}

    forbid: Items[_ConstructName] = Field(
        min_length=1,
        description="Constructs that must not be used; see the list below.",
        examples=[["class", "lambda", "map"]],
    )
    functions: Items[FunctionName] | None = Field(
        default=None,
        min_length=1,
        description="The functions that it is about; each is a rule of its own. Default: all code.",
        examples=[["Board.make_board"]],
    )
    initialising: bool = Field(
        default=False,
        description="Whether a comprehension may give a data structure its first content all the "
        "same.",
        examples=[True],
    )

    @property
    def about(self) -> str | None:
        """The function, once there is one; None for all code."""
        return None if self.functions is None else self.functions[0]

    @property
    def name(self) -> str | None:
        """The function; rules on all code have numbers."""
        return self.about

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a rule for each function, if it is about functions."""
        if self.functions is None:
            yield (), self
        for index, name in enumerate(self.functions or ()):
            yield ("functions", index), self.model_copy(update={"functions": (name,)})

    def check(self, scope: Scope) -> None:
        """Report constructs that stand there twice, unknown functions, and an idle exception."""
        scope.check_repeated("construct", "forbid")
        if self.initialising and not {*COMPREHENSIONS}.intersection(self._constructs()):
            message = "'initialising' means nothing where comprehensions are not forbidden"
            advice = "leave it out, or forbid `comprehension` too"
            scope.at_key("initialising", message, advice)
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Say what must not be used, and where."""
        return forbidden(self._constructs(), self.about, initialising=self.initialising)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        return judge_forbidden(
            evidence, self._constructs(), self.about, initialising=self.initialising
        )

    def _constructs(self) -> tuple[str, ...]:
        return expanded_constructs(self.forbid)
