"""A rule on loops: functions that must do without some kinds of them."""

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
from grader.suite.vocabulary import LOOPS, expanded_constructs

_LoopName: TypeAlias = Annotated[
    str, parsed_by(texts.loop), Field(json_schema_extra={"enum": [*LOOPS]})
]


class Loops(JudgedRule):
    """Loops that functions must do without."""

    model_config = ConfigDict(title="loops")

    kind: ClassVar[str] = "loops"
    summary: ClassVar[str] = "Functions that must do without some kinds of loops."
    example: ClassVar[dict[str, Any]] = {"functions": ["Board.is_filled_row"], "forbid": ["for"]}

    functions: Items[FunctionName] = Field(
        min_length=1,
        description="The functions that it is about; each is a rule of its own.",
        examples=[["Board.is_filled_row"]],
    )
    forbid: Items[_LoopName] = Field(
        min_length=1,
        description="Loops that they must not have: for, while, comprehension.",
        examples=[["for"]],
    )

    @property
    def about(self) -> str | None:
        """The function, once there is one."""
        return self.functions[0]

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a rule for each function."""
        for index, name in enumerate(self.functions):
            yield ("functions", index), self.model_copy(update={"functions": (name,)})

    def check(self, scope: Scope) -> None:
        """Report loops that stand there twice, and unknown functions."""
        scope.check_repeated("loop", "forbid")
        scope.check_functions("functions", self.functions)

    def sentence(self) -> Message:
        """Say which loops the function must not have."""
        return forbidden(expanded_constructs(self.forbid), self.about)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        return judge_forbidden(evidence, expanded_constructs(self.forbid), self.about)
