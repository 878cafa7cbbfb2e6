"""The keys of the rules of a suite: their types, what they mean, and an example of each.

A rule demands something of a submission besides right answers. What its keys ask of each other, and
of the rest of the suite, is checked by `grader.loading.rule_building`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import ConfigDict, Field

from grader.importable import STANDARD_WORD
from grader.loading.fields import Form, Id, Observer, PartName, StepCode
from grader.loading.rule_fields import (
    AllowedName,
    Call,
    ConstructName,
    CountedName,
    DemandWord,
    ExtraWord,
    FunctionName,
    GrowthWord,
    HeadingText,
    LoopName,
    Size,
    Unit,
    Version,
)

MAX_SIZES: Final = 6
_ONE_COST: Final[dict[str, Any]] = {"not": {"required": ["points", "cap"]}}


class RuleForm(Form):
    """What all rules share: a name, and what it costs to go against it."""

    model_config = ConfigDict(json_schema_extra=_ONE_COST)

    id: Id | None = Field(
        default=None,
        description="Name of the rule among those of its kind. Default: what it is about.",
        examples=["make_board-iterative"],
    )
    points: float | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="Points that a submission loses which goes against it: of the group if it has "
        "one, else of the whole. Without points and cap the rule is a remark.",
        examples=[2],
    )
    cap: float | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="Points that such a submission keeps of the group, at most; instead of points.",
        examples=[0],
    )
    group: Id | None = Field(
        default=None,
        description="The group that pays. Default: the one that is called like the function, "
        "without its module.",
        examples=["make_board"],
    )
    line: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="Line of the spec that asks for it, counted from 1.",
        examples=[172],
    )


class ProbedForm(RuleForm):
    """A rule about one call, which is looked into for several sizes."""

    function: FunctionName = Field(
        description="The function that it is about: one of defines or helpers, or a method of a "
        "class among them.",
        examples=["Board.free_all_cells"],
    )
    sizes: list[Size] = Field(
        min_length=1,
        max_length=MAX_SIZES,
        description="Sizes, from small to large. The set-up and the call run once for each, in a "
        "session of its own that knows the size as n.",
        examples=[[8, 64, 512]],
    )
    setup: list[StepCode] = Field(
        default_factory=list,
        description="Steps that come before the call.",
        examples=[["board = Board.make_board(n)"]],
    )
    call: Call = Field(
        description="The expression that is looked into.",
        examples=["Board.free_all_cells(board, positions)"],
    )


class RecursionForm(ProbedForm):
    """A function that must be recursive, or must not be."""

    model_config = ConfigDict(title="recursion")

    observe: list[Observer] = Field(
        default_factory=list,
        description="Expressions that show what the call has changed, for functions that return "
        "nothing.",
        examples=[["Board.get_all_filled_positions(board)"]],
    )
    also: list[Observer] = Field(
        default_factory=list,
        description="Further calls whose answers recursion must be needed for, such as one that "
        "gives False where the call gives True.",
        examples=[["Board.are_chainable(board, [(1, 1), (9, 9)])"]],
    )
    demand: DemandWord = Field(
        default="required",
        description="Whether the function must be recursive (required), must not be (forbidden), "
        "or is for a person to judge if it is not (expected).",
        examples=["required"],
    )
    helper: bool = Field(
        default=True,
        description="Whether a function of the submission's own may carry the recursion.",
        examples=[False],
    )
    loop: bool = Field(
        default=False,
        description="Whether a loop next to the recursion may take as many turns as it likes; "
        "calls of other functions count all the same.",
        examples=[True],
    )
    depth: GrowthWord = Field(
        default="logarithmic",
        description="How the depth of the recursion must grow with the size, at least: constant "
        "(it need not), logarithmic, linear.",
        examples=["linear"],
    )
    calls: GrowthWord = Field(
        default="constant",
        description="How the number of recursive calls must grow with the size, at least.",
        examples=["linear"],
    )
    unit: Unit | None = Field(
        default=None,
        description="What the size counts, in the language of the suite.",
        examples=["posities"],
    )


class LoopsForm(RuleForm):
    """Loops that functions must do without."""

    model_config = ConfigDict(title="loops")

    functions: list[FunctionName] = Field(
        min_length=1,
        description="The functions that it is about; each is a rule of its own.",
        examples=[["Board.is_filled_row"]],
    )
    forbid: list[LoopName] = Field(
        min_length=1,
        description="Loops that they must not have: for, while, comprehension.",
        examples=[["for"]],
    )


class ConstructsForm(RuleForm):
    """Constructs that a submission must do without."""

    model_config = ConfigDict(title="constructs")

    forbid: list[ConstructName] = Field(
        min_length=1,
        description="Constructs that must not be used; see the list below.",
        examples=[["class", "lambda", "map"]],
    )
    functions: list[FunctionName] | None = Field(
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


class ImportsForm(RuleForm):
    """Modules that a submission may import, as its source says."""

    model_config = ConfigDict(title="imports")

    allow: list[AllowedName] = Field(
        description="Modules that may be imported, besides its own and given code. The word "
        "standard stands for the whole standard library.",
        examples=[[STANDARD_WORD], ["math", "random"]],
    )


class SignatureForm(RuleForm):
    """Functions that must keep their headings."""

    model_config = ConfigDict(title="signature")

    headings: list[HeadingText] = Field(
        min_length=1,
        description="Names of functions with their parameters, in order; each is a rule of its "
        "own. Which default a parameter has does not count.",
        examples=[["Board.make_board(dimension=10, positions_to_fill=frozenset())"]],
    )
    extra: ExtraWord = Field(
        default="defaults",
        description="Parameters that may come behind these: those with a default (defaults), or "
        "none.",
        examples=["none"],
    )


class CostForm(ProbedForm):
    """What a call may cost for a larger size."""

    model_config = ConfigDict(
        title="cost",
        json_schema_extra={
            **_ONE_COST,
            "oneOf": [{"required": ["memory"]}, {"required": ["time"]}],
            "dependentRequired": {"counted": ["time"]},
        },
    )

    sizes: list[Size] = Field(
        min_length=2,
        max_length=MAX_SIZES,
        description="Sizes, two at least, from small to large. The set-up and the call run for "
        "each, in a session of its own that knows the size as n.",
        examples=[[8, 64, 512]],
    )
    memory: Literal["constant"] | None = Field(
        default=None,
        description="How the memory that the result takes may grow with the size: not at all.",
        examples=["constant"],
    )
    time: GrowthWord | None = Field(
        default=None,
        description="How the time of the call may grow with the size, at most; instead of memory.",
        examples=["constant"],
    )
    counted: list[CountedName] = Field(
        default_factory=list,
        description="Names that the set-up binds. The integers in their values count how often "
        "they are compared, which tells more than a clock.",
        examples=[["position"]],
    )


class EncapsulationForm(RuleForm):
    """Data of which only some functions may know how it is represented."""

    model_config = ConfigDict(title="encapsulation")

    module: PartName | None = Field(
        default=None,
        description="Of several modules the one whose data it is.",
        examples=["Board"],
    )
    made_by: list[FunctionName] = Field(
        min_length=1,
        description="Functions that return such data.",
        examples=[["Board.make_board", "Board.copy_board"]],
    )
    known_to: list[FunctionName] = Field(
        default_factory=list,
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
    setup: list[StepCode] = Field(
        min_length=1,
        description="Steps that call all functions which are to be looked into.",
        examples=[["board = Board.make_board(4)", "Board.free_row(board, 1)"]],
    )


class PythonForm(RuleForm):
    """The version of Python that must be able to read a submission."""

    model_config = ConfigDict(title="python")

    version: Version = Field(
        description="The version, in quotes. Newer syntax is against the rule; newer functions of "
        "the library are not seen.",
        examples=["3.6"],
    )


class DocstringsForm(RuleForm):
    """Functions that must have a docstring."""

    model_config = ConfigDict(title="docstrings")

    functions: list[FunctionName] | None = Field(
        default=None,
        min_length=1,
        description="The functions that it is about. Default: all that are neither private nor "
        "nested.",
        examples=[["Board.make_board"]],
    )


class RulesForm(Form):
    """Rules by their kind."""

    model_config = ConfigDict(title="rules")

    recursion: list[RecursionForm] = Field(
        default_factory=list,
        description="Functions that must be recursive, or must not be.",
        examples=[[{"function": "sum_of", "sizes": [5, 20], "call": "sum_of(range(n))"}]],
    )
    loops: list[LoopsForm] = Field(
        default_factory=list,
        description="Functions that must do without some kinds of loops.",
        examples=[[{"functions": ["Board.is_filled_row"], "forbid": ["for"]}]],
    )
    constructs: list[ConstructsForm] = Field(
        default_factory=list,
        description="Constructs that must not be used.",
        examples=[[{"forbid": ["class", "lambda"]}]],
    )
    imports: list[ImportsForm] = Field(
        default_factory=list,
        description="Modules that may be imported.",
        examples=[[{"allow": [STANDARD_WORD]}]],
    )
    signature: list[SignatureForm] = Field(
        default_factory=list,
        description="Functions that must keep their headings.",
        examples=[[{"headings": ["Position.left(dimension, position)"]}]],
    )
    cost: list[CostForm] = Field(
        default_factory=list,
        description="What calls may cost in memory or in time.",
        examples=[
            [{"function": "make", "memory": "constant", "sizes": [8, 512], "call": "make(n)"}]
        ],
    )
    encapsulation: list[EncapsulationForm] = Field(
        default_factory=list,
        description="Data of which only some functions may know how it is represented.",
        examples=[[{"made_by": ["make"], "setup": ["board = make(4)", "show(board)"]}]],
    )
    python: list[PythonForm] = Field(
        default_factory=list,
        max_length=1,
        description="The version of Python that must be able to read a submission.",
        examples=[[{"version": "3.6"}]],
    )
    docstrings: list[DocstringsForm] = Field(
        default_factory=list,
        description="Functions that must have a docstring.",
        examples=[[{}]],
    )


RULE_FORMS: Final[Mapping[str, type[RuleForm]]] = {
    "recursion": RecursionForm,
    "loops": LoopsForm,
    "constructs": ConstructsForm,
    "imports": ImportsForm,
    "signature": SignatureForm,
    "cost": CostForm,
    "encapsulation": EncapsulationForm,
    "python": PythonForm,
    "docstrings": DocstringsForm,
}
"""The forms of rules, by kind."""
