"""The keys of a suite: their types, what they mean, and an example of each.

These models are what a suite is validated against, and what the JSON Schema for editors is made
from, so that both say the same. Data comes from `grader.loading.document`, never from elsewhere:
a value that is `None` stands for a key that is not there.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from grader.importable import STANDARD_WORD
from grader.loading.board_forms import BoardForm
from grader.loading.fields import (
    DefinedName,
    DottedName,
    FileName,
    Form,
    Heading,
    Id,
    Identifier,
    ModuleName,
    Observer,
    PartName,
    PrintsText,
    RaisesText,
    Remark,
    ReturnsText,
    SameAsText,
    Slug,
    SourcePath,
    StepCode,
    WebAddress,
)
from grader.loading.limit_forms import LimitsForm
from grader.loading.rule_forms import RulesForm

LanguageCode: TypeAlias = Literal["en", "es", "nl"]
VisibilityWord: TypeAlias = Literal["public", "hidden", "staff"]

EXPECTATIONS: Final = ("returns", "stdout", "raises", "same_as", "tiling")
"""Keys of a step that say what is expected; a step has at most one of them."""

_STEP_RULES: Final[dict[str, Any]] = {
    "allOf": [
        {"not": {"required": [one, other]}}
        for index, one in enumerate(EXPECTATIONS)
        for other in EXPECTATIONS[index + 1 :]
    ],
    "dependentRequired": {
        **{expectation: ["group"] for expectation in EXPECTATIONS},
        "case": ["group"],
        "unchanged": ["raises"],
        "as_lists": ["returns"],
    },
}

_SUITE_RULES: Final[dict[str, Any]] = {
    "oneOf": [{"required": ["module"]}, {"required": ["modules"]}],
}


class GroupForm(Form):
    """Cases that are scored together: usually one function or method, and one kind of outcome."""

    model_config = ConfigDict(title="group")

    id: Id = Field(
        description="Unique name of the group; the cases of the group are called after it.",
        examples=["maak_wit"],
    )
    title: Heading | None = Field(
        default=None,
        description="What a report calls the group. Default: its id.",
        examples=["maak_wit"],
    )
    points: float = Field(
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="Points for a submission that passes every case of the group.",
        examples=[4],
    )


class TilingForm(Form):
    """A board that L-triominoes must cover, all but one cell, the hole."""

    model_config = ConfigDict(title="tiling")

    rows: int = Field(ge=1, le=128, description="How many rows the board has.", examples=[8])
    columns: int | None = Field(
        default=None,
        ge=1,
        le=128,
        description="How many columns the board has. Default: as many as rows.",
        examples=[8],
    )
    hole: list[Annotated[int, Field(ge=1, le=128)]] = Field(
        min_length=2,
        max_length=2,
        description="Row and column of the hole, both from 1 on. It must hold -1.",
        examples=[[5, 2]],
    )


class StepForm(Form):
    """One line of a session, with what is expected of it. A step with a group is a case."""

    model_config = ConfigDict(title="step", json_schema_extra=_STEP_RULES)

    do: StepCode = Field(
        description="Python to run: one expression, or one or more statements.",
        examples=["puzzel.maak_wit((0, 0))"],
    )
    returns: ReturnsText | None = Field(
        default=None,
        description="The value that the expression must return: a Python literal, as text. An "
        "expression with a group and no expectation must return None.",
        examples=["False", "{(2, 1), (3, 1)}"],
    )
    as_lists: bool | None = Field(
        default=None,
        description="Whether numpy arrays and lists of rows with the same elements do for each "
        "other in what the step returns. Default: false.",
        examples=[True],
    )
    tiling: TilingForm | None = Field(
        default=None,
        description="A board that the expression must return, as a numpy array or a list of rows: "
        "each cell holds the number of its piece, and each piece is an L of three cells.",
        examples=[{"rows": 8, "hole": [5, 2]}],
    )
    stdout: PrintsText | None = Field(
        default=None,
        description="What the step must print. Blanks at the end of a line and empty lines at "
        "the end do not count.",
        examples=["w--\n-b-\n"],
    )
    raises: RaisesText | None = Field(
        default=None,
        description="The exception that the step must raise: its type, or its type and message.",
        examples=["AssertionError: ongeldige actie"],
    )
    same_as: SameAsText | None = Field(
        default=None,
        description="A name that an earlier step assigns; the expression must return the very "
        "object that it is bound to.",
        examples=["puzzel"],
    )
    group: Id | None = Field(
        default=None,
        description="The group that this step counts for. Without one it is set-up, and earns "
        "nothing.",
        examples=["maak_wit"],
    )
    case: Id | None = Field(
        default=None,
        description="Name of the case in its group. Default: its number in the group, from 1 on.",
        examples=["bezet"],
    )
    line: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="Line of the spec that the step comes from, counted from 1.",
        examples=[41],
    )
    note: Remark | None = Field(
        default=None,
        description="Why the step is there; shown with it.",
        examples=["positie is reeds bezet"],
    )
    unchanged: list[Observer] | None = Field(
        default=None,
        description="Expressions that must give the same before and after this refused step, "
        "instead of the observers of its session.",
        examples=[["str(puzzel)"], []],
    )
    action: bool | None = Field(
        default=None,
        description="Whether later steps need this one to get into their state. Default: true "
        "for statements and for expressions that return None or a named object, else false.",
        examples=[True],
    )


class SetUp(Form):
    """What a session is called and what it works with, whoever sees it."""

    id: Id = Field(description="Unique name of the session.", examples=["voorbeeld"])
    title: Heading | None = Field(
        default=None,
        description="What a report calls the session. Default: its id.",
        examples=["Voorbeeldsessie"],
    )
    uses: list[PartName] | None = Field(
        default=None,
        min_length=1,
        description="Of several modules those that are imported before the first step, in this "
        "order; steps know them by their names. Default: all.",
        examples=[["Board", "Game"]],
    )
    stand_ins: list[PartName] = Field(
        default_factory=list,
        description="Modules that give way to ours, see the suite's stand_ins, when a case of "
        "this session that did not pass is tried once more.",
        examples=[["Position", "Board"]],
    )
    observers: list[Observer] = Field(
        default_factory=list,
        description="Expressions that every refused step (one that must raise) has to leave "
        "unchanged.",
        examples=[["str(puzzel)"]],
    )


class SessionHead(SetUp):
    """What there is to a session besides its steps."""

    visibility: VisibilityWord = Field(
        default="public",
        description="Who sees its cases: public (students see all), hidden (students see the "
        "verdict only), staff (students see nothing).",
        examples=["public"],
    )


class SessionForm(SessionHead):
    """Steps that run in order in one fresh process."""

    model_config = ConfigDict(title="session")

    steps: list[StepForm] = Field(
        min_length=1,
        description="The lines of the session, in order.",
        examples=[[{"do": "puzzel = YinYang(6, [], [])", "group": "YinYang"}]],
    )


class SuiteHead(Form):
    """What there is to a suite besides its groups, rules and sessions."""

    exercise: Slug = Field(
        description="Short name of the exercise, for files and URLs.", examples=["yinyang"]
    )
    title: Heading = Field(description="Name of the exercise, for people.", examples=["Yin-Yang"])
    language: LanguageCode = Field(
        description="Language that students are addressed in.", examples=["nl"]
    )
    spec: Remark | None = Field(
        default=None,
        description="The text that students get, relative to this file.",
        examples=["../reference/yinyang/spec.md"],
    )
    spec_url: WebAddress | None = Field(
        default=None,
        description="Where students read the text. {line} in it stands for the number of a line.",
        examples=["https://course.example/yinyang#line-{line}"],
    )
    module: Identifier = Field(
        default="",
        description="The module that students hand in: yinyang for yinyang.py. Steps know what it "
        "defines. A suite has either this key or modules.",
        examples=["yinyang"],
    )
    modules: list[PartName] = Field(
        default_factory=list,
        min_length=1,
        description="The modules that students hand in, in the order in which they build on each "
        "other. Steps know them by their names.",
        examples=[["Position", "Board", "Game"]],
    )
    defines: list[DefinedName] = Field(
        description="Names that a submission must define; of several modules, Board.fill_cell.",
        examples=[["YinYang"], ["Board.fill_cell"]],
    )
    helpers: list[DefinedName] = Field(
        default_factory=list,
        description="Names that a submission may define, as parts of its own making. A group of "
        "which a step names one that is not defined does not count for that submission.",
        examples=[["tablero"]],
    )
    given: dict[DottedName, SourcePath] = Field(
        default_factory=dict,
        description="Code that every submission can import: files by the name of the module, "
        "from the folder of this file or from the one above. It wins over a file handed in under "
        "that name.",
        examples=[{"helper": "reference/puzzle/helper.py"}],
        json_schema_extra={"additionalProperties": False},
    )
    stand_ins: dict[PartName, SourcePath] = Field(
        default_factory=dict,
        description="Our own modules, on which later ones of a submission can be tried; files by "
        "the name of the module, as in given.",
        examples=[{"Board": "reference/puzzle/Board.py"}],
        json_schema_extra={"additionalProperties": False},
    )
    imports: list[ModuleName] = Field(
        default=[STANDARD_WORD],
        description="Modules that a submission may import, besides its own. The word standard "
        "stands for those that are usual.",
        examples=[["math", "random"], ["standard"]],
    )
    limits: LimitsForm | None = Field(
        default=None,
        description="How much one session may use. Default: the defaults of all limits.",
        examples=[{"cpu_s": 1.0}],
    )
    files: dict[FileName, str] = Field(
        default_factory=dict,
        description="Text files that a submission can open, by name.",
        examples=[{"akari.txt": "1 1 4\n"}],
        json_schema_extra={"additionalProperties": False},
    )
    advice: bool = Field(
        default=False,
        description="Whether students get advice on how readable their code is; it never costs "
        "points.",
        examples=[True],
    )
    board: BoardForm | None = Field(
        default=None,
        description="How the boards of the exercise look; reports draw them where a case fails.",
        examples=[{"cells": {"white": "w", "black": "b", "empty": "-"}, "positions": True}],
    )


class SuiteForm(SuiteHead):
    """What a submission of one exercise is asked, what is expected of it, and for what points."""

    model_config = ConfigDict(title="suite", json_schema_extra=_SUITE_RULES)

    groups: list[GroupForm] = Field(
        min_length=1,
        description="Cases scored together, with their points.",
        examples=[[{"id": "maak_wit", "points": 4}]],
    )
    rules: RulesForm = Field(
        default_factory=RulesForm,
        description="What a submission is asked besides right answers.",
        examples=[{"loops": [{"functions": ["maak_wit"], "forbid": ["while"]}]}],
    )
    sessions: list[SessionForm] = Field(
        min_length=1,
        description="Each session runs in a process of its own.",
        examples=[
            [{"id": "voorbeeld", "steps": [{"do": "puzzel = YinYang(6, [], [])"}]}],
        ],
    )
