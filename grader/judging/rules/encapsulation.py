"""A rule on encapsulation: only some functions may know how data is represented."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import ConfigDict, Field

from grader.judging.results import Ruling
from grader.judging.rules.functions import in_code, label
from grader.judging.rules.probes import check_setup, probe_of_setup
from grader.judging.rules.representation import Representation, judge_representation
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.messages import Message, message
from grader.suite.diagnostics import did_you_mean, listed, quoted
from grader.suite.fields import Items, PartName, StepCode
from grader.suite.rules import FunctionName, Scope


class Encapsulation(JudgedRule):
    """Data of which only some functions may know how it is represented."""

    model_config = ConfigDict(title="encapsulation")

    kind: ClassVar[str] = "encapsulation"
    summary: ClassVar[str] = "Data of which only some functions may know how it is represented."
    example: ClassVar[dict[str, Any]] = {
        "made_by": ["make"],
        "setup": ["board = make(4)", "show(board)"],
    }
    probes: ClassVar[bool] = True

    module: PartName | None = Field(
        default=None,
        description="Of several modules the one whose data it is.",
        examples=["Board"],
    )
    made_by: Items[FunctionName] = Field(
        min_length=1,
        description="Functions that return such data.",
        examples=[["Board.make_board", "Board.copy_board"]],
    )
    known_to: Items[FunctionName] = Field(
        default_factory=tuple,
        description="Other functions that may know how it is represented.",
        examples=[["Board.is_filled_at", "Board.fill_cell"]],
    )
    parameter: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Which parameter of the functions is the data, from 0 on.",
        examples=[0],
    )
    setup: Items[StepCode] = Field(
        min_length=1,
        description="Steps that call all functions which are to be looked into.",
        examples=[["board = Board.make_board(4)", "Board.free_row(board, 1)"]],
    )

    @property
    def name(self) -> str | None:
        """The module whose data it is."""
        return self.module

    @property
    def needed(self) -> tuple[str, ...]:
        """The functions that make the data."""
        return tuple(dict.fromkeys(self.made_by))

    def check(self, scope: Scope) -> None:
        """Report unknown functions and modules, and a probe that shows nothing."""
        scope.check_functions("made_by", self.made_by)
        scope.check_functions("known_to", self.known_to)
        check_setup(scope, self.setup)
        if not scope.modules:
            if self.module is not None:
                problem = "'module' means nothing for a single module"
                scope.at_key("module", problem, "leave it out")
            return
        known = f"modules to choose from: {listed(scope.modules)}"
        if self.module is None:
            problem = "the data of which module is this rule about?"
            scope.at_key("made_by", problem, f"add `module:`; {known}")
        elif self.module not in scope.modules:
            problem = f"unknown module {quoted(self.module)}"
            problem += did_you_mean(self.module, scope.modules)
            scope.at_value(("module",), problem, known)

    def completed(self, scope: Scope) -> Self:
        """Name the module; functions that make the data know it."""
        module = self.module or "" if scope.modules else scope.module
        known_to = tuple(dict.fromkeys((*self.made_by, *self.known_to)))
        return self.model_copy(update={"module": module, "known_to": known_to})

    def sentence(self) -> Message:
        """Say which functions may know the representation."""
        functions = in_code((label(name) for name in self.known_to), None)
        return message("demand.encapsulation", module=self.module or "", functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by probing and by the source."""
        data = Representation(
            module=evidence.parts.get(self.module or "", self.module or ""),
            made_by=tuple(map(evidence.dotted, self.needed)),
            known_to=tuple(map(evidence.dotted, self.known_to)),
            parameter=self.parameter,
        )
        probe = probe_of_setup(evidence, self.setup)
        return judge_representation(data, probe, evidence)
