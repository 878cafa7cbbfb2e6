"""The steps, cases and groups of a suite, with their YAML keys and properties derived from them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from grader.protocol import RUN
from grader.suite.code import with_input
from grader.suite.expectations import (
    ALTERNATIVE_PARSERS,
    Accepts,
    Completes,
    Exits,
    Expectation,
    Prints,
    PrintsText,
    Raises,
    RaisesText,
    Returns,
    ReturnsText,
    SameAs,
    SameAsText,
    Shows,
    ShowsText,
    Tolerance,
)
from grader.suite.fields import (
    AcceptsCode,
    Form,
    Heading,
    Id,
    Items,
    Observer,
    PartName,
    Remark,
    StepCode,
    flag,
    key,
    one_of_words,
    optional,
)
from grader.suite.texts import COMMAND_PREFIX
from grader.values.constraints import Bounded, ParsedBy
from grader.values.leniency import STRICT, Ignored
from grader.values.tree import Atom

if TYPE_CHECKING:
    from pydantic import ValidationInfo

EXPECTATIONS: Final = ("returns", "stdout", "shows", "raises", "same_as", "accepts")
"""Keys that set the expectation of a step, which can have at most one of them."""
NEED_GROUP: Final = (*EXPECTATIONS, "exits", "case", "clause", "shorter")
"""Keys that have no effect on a step that is not a case."""
COMPARING: Final = ("also", "ellipsis", "ignore", "tolerance")
"""Keys that control how the result of a step is compared with a value or text."""

PROGRAM: Final = ("argv", "exits")
"""Keys that have no effect on a step that runs no program."""

_STEP_RULES: Final[dict[str, Any]] = {
    # `run` replaces `do`, so neither is required by itself.
    "required": [],
    "oneOf": [{"required": ["do"]}, {"required": ["run"]}],
    "allOf": [
        {"not": {"required": [first, second]}}
        for index, first in enumerate(EXPECTATIONS)
        for second in EXPECTATIONS[index + 1 :]
    ],
    "dependentRequired": {
        **{key: ["group"] for key in NEED_GROUP},
        "unchanged": ["raises"],
        **{key: ["run"] for key in PROGRAM},
        "as_lists": ["returns"],
    },
    "dependentSchemas": {
        key: {"anyOf": [{"required": [compared]} for compared in ALTERNATIVE_PARSERS]}
        for key in COMPARING
    },
}

_RETURNS_NONE: Final = Returns(Atom(None), "None")
"""The default expectation of an expression with a group."""


def id_as_title(data: dict[str, Any]) -> str:
    """Return the default title of a part of a suite, which is its id."""
    return str(data["id"])


def _check_alternatives(texts: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return `texts`, the alternatives to an expectation, or raise `Refusal` if one is invalid.

    Each must parse like the expectation itself.
    """
    # `info.data` contains only keys that are declared before `also`, as those of expectations are.
    for name, parse in ALTERNATIVE_PARSERS.items():
        if info.data.get(name) is not None:
            for text in texts:
                parse(text)
    return texts


_Alternatives: TypeAlias = Annotated[
    Items[str], Bounded(min_length=1), ParsedBy(_check_alternatives, with_info=True)
]


class Group(Form, title="group"):
    """Cases that are scored together: usually one function or method, and one kind of outcome."""

    form_name = "a group"

    id: Id = key("Unique name of the group, and the start of its cases' names.", "maak_wit")
    title: Heading = key("Title in reports. Default: its id.", "maak_wit", default_from=id_as_title)
    points: float = key(
        "Points for passing every case of the group.",
        4,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
    )


class Shorter(Form, title="shorter"):
    """A session with fewer steps before a case, and what the reference gives in it."""

    form_name = "a shorter session"

    after: Items[Annotated[int, Bounded(ge=1)]] = key(
        "Numbers, from 1, of the steps before the case.", [1, 4]
    )
    one_of: Items[Annotated[int, Bounded(ge=1)]] | None = optional(
        "Add any one of these steps, with those that bind its names; the result is the same. For "
        "cases that fail only in the whole session.",
        [2, 3],
        min_length=1,
    )
    returns: ReturnsText | None = optional(
        "The value in the shorter session, if different.", "False"
    )
    stdout: PrintsText | None = optional(
        "The printed text in the shorter session, if different.", "w--\n-b-\n"
    )


class WrittenStep(Form, title="step", json_schema_extra=_STEP_RULES):
    """One line of a session, with what is expected of it. A step with a group is a case."""

    form_name = "a step"

    run: PartName | None = optional(
        "The module to run as a program, like `python table.py`.",
        "table",
    )
    argv: Items[str] | None = optional("Arguments of the program.", ["5", "--short"], min_length=1)
    stdin: str | None = optional(
        "Lines that are typed, to the program or to what the code calls.", "3\n4\n"
    )
    do: StepCode = key(
        "Python to run: an expression or statements. A step has either do or run.",
        "puzzel.maak_wit((0, 0))",
    )
    returns: ReturnsText | None = optional(
        "The expected value: a Python literal, as text. Without any expectation, an "
        "expression with a group must return None.",
        "False",
        "{(2, 1), (3, 1)}",
    )
    as_lists: bool | None = flag(
        "Whether numpy arrays and lists of rows count as equal. Default: false.",
        example=True,
        default=None,
    )
    accepts: AcceptsCode | None = optional(
        "An expression that checks the answer with one of the suite's checkers. answer is the "
        "returned value, or the output of the program.",
        "tiling.covers(answer, rows=8, hole=(5, 2))",
    )
    stdout: PrintsText | None = optional(
        "The expected output. Blanks at line ends and empty lines at the end are ignored. For "
        "programs that read lines: the screen, with or without the typed lines.",
        "w--\n-b-\n",
    )
    shows: ShowsText | None = optional(
        "What the prompt must show: printed text and displayed values. For objects known only "
        "by their repr. If an expression returns None, use stdout.",
        "Ratio(-3, 4)",
    )
    exits: int | None = optional(
        "The expected exit code of the program. Default: 0.",
        1,
        ge=0,
        le=255,
    )
    raises: RaisesText | None = optional(
        "The expected exception: type, or type and message.",
        "AssertionError: ongeldige actie",
    )
    same_as: SameAsText | None = optional(
        "A name bound earlier. The expression must return that very object.",
        "puzzel",
    )
    also: _Alternatives | None = optional(
        "Other right answers, written the same way.",
        ["[2, 1]"],
    )
    ellipsis: bool | None = flag(
        "Whether ... in expected text stands for any text. Default: false.",
        example=True,
        default=None,
    )
    ignore: Items[Annotated[Ignored, one_of_words(Ignored)]] | None = optional(
        "What to ignore: blanks, case (of letters), order (of list elements and lines), "
        "prompts (of a program, and typed text), types (0 for False, a list for a tuple).",
        ["blanks", "case"],
        min_length=1,
    )
    tolerance: Tolerance | None = optional(
        "Allowed difference of numbers, also in containers and text: a number, or a share "
        "such as 1%. Default: a rounding error, for floats.",
        0.01,
        "1%",
    )
    group: Id | None = optional(
        "The group that it counts for. Without one it is set-up.",
        "maak_wit",
    )
    case: Id | None = optional(
        "Name of the case in its group. Default: its number, from 1.", "bezet"
    )
    clause: Id | None = optional(
        "The clause that settles the case. Hidden cases of one clause in a group earn their "
        "points together.",
        "maak_wit-bezet",
    )
    line: int | None = optional("Line of the spec, from 1.", 41, ge=1, le=1_000_000)
    note: Remark | None = optional("A note, shown with the step.", "positie is reeds bezet")
    shorter: Items[Shorter] | None = optional(
        "Shorter sessions that may show students the same mistake. They affect no points; "
        "grader derive writes them.",
        [{"after": [1]}],
        min_length=1,
    )
    unchanged: Items[Observer] | None = optional(
        "Expressions that this refused step must leave unchanged, instead of the session's "
        "observers.",
        ["str(puzzel)"],
        [],
    )
    action: bool | None = flag(
        "Whether later steps that share a name with it need it. Default: true for statements "
        "and for expressions that return None or a named object.",
        example=True,
        default=None,
    )
    always: bool | None = flag(
        "Whether all later steps need it, such as a random draw. Default: false.",
        example=True,
        default=None,
    )

    @classmethod
    def prepare(cls, data: Any) -> Any:
        """Return `data` with `do` set to code that runs the program, if the step runs one."""
        if not isinstance(data, dict) or "run" not in data or "do" in data:
            return data
        arguments, typed = data.get("argv") or [], data.get("stdin") or ""
        # `repr` quotes the arguments, so that none can become code.
        return {**data, "do": f"{RUN}({data['run']!r}, {arguments!r}, {typed!r})"}

    @property
    def code(self) -> str:
        """The code that executors run."""
        if self.stdin is None or self.run is not None:
            return self.do.text
        return with_input(self.do.text, self.stdin, is_expression=self.is_expression)

    @property
    def display_text(self) -> str:
        """The step as reports show it: its code, or the command line of its program."""
        if self.run is None:
            return self.do.text
        return COMMAND_PREFIX + shlex.join(["python", f"{self.run}.py", *(self.argv or ())])

    @property
    def is_expression(self) -> bool:
        """Whether the code is an expression and so has a value."""
        return self.do.is_expression

    @property
    def binds(self) -> tuple[str, ...]:
        """The names that the step leaves bound; a last statement that must raise binds none."""
        return self.do.binds if self.raises is None else self.do.binds_before_last

    @cached_property
    def expectation(self) -> Expectation | None:
        """The expectation of the step, or None if the step is set-up."""
        if self.run is not None and self.raises is None and self.group is not None:
            accepts = None if self.accepts is None else self.accepts.text
            return Exits(self.exits or 0, self.typed, self._expected_output, accepts)
        return self._main_expectation

    @property
    def typed(self) -> tuple[str, ...]:
        """The lines typed as input, without their newlines."""
        return tuple((self.stdin or "").splitlines())

    @property
    def _expected_output(self) -> Prints | None:
        """The output that a program must leave on the screen, or None if any is right."""
        return self._main_expectation if isinstance(self._main_expectation, Prints) else None

    @property
    def _main_expectation(self) -> Expectation | None:
        """The expectation without the exit code of a program, or None if the step is set-up."""
        for name, parse in ALTERNATIVE_PARSERS.items():
            if (expectation := getattr(self, name)) is not None:
                alternatives = tuple(self._with_leniency(parse(text)) for text in self.also or ())
                return replace(self._with_leniency(expectation), alternatives=alternatives)
        accepts = None if self.accepts is None else Accepts(self.accepts.text)
        if (expectation := self.same_as or accepts) is not None:
            return expectation
        if self.group is None:
            return None
        return _RETURNS_NONE if self.is_expression else Completes()

    def _with_leniency(self, expectation: Returns | Prints | Raises) -> Returns | Prints | Raises:
        """Return `expectation` with the step's leniency and typed input."""
        ignored = frozenset(self.ignore or ())
        leniency = replace(self.tolerance or STRICT, ellipsis=bool(self.ellipsis), ignored=ignored)
        if isinstance(expectation, Returns):
            expectation = replace(expectation, as_lists=bool(self.as_lists))
        if isinstance(expectation, Shows):
            expectation = replace(expectation, is_value=self.is_expression)
        return replace(expectation, leniency=leniency, typed=self.typed)

    @cached_property
    def acts(self) -> bool:
        """Whether later steps might depend on the state that this step sets."""
        if self.always:
            return True
        if self.action is not None:
            return self.action
        match self.expectation:
            case Raises():
                return False
            case None | SameAs() | Completes() | Returns(Atom(None)):
                return True
            case Exits():
                return False
            case Returns() | Accepts() | Prints():
                # Statements act, as do expressions that bind a name with `:=`.
                return not self.is_expression or bool(self.do.binds)


class Step(WrittenStep):
    """A step with what depends on its place in a session."""

    uses: frozenset[str] = frozenset()
    """The names that the step reads and that earlier steps of the session have bound."""
    observers: tuple[str, ...] = ()
    """Expressions whose values must be the same before and after this step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case: the step of a session that earns its verdict, and the group that it counts for."""

    id: str
    """The id `<group>/<case>`, which is unique in the suite."""
    group: str
    step_index: int
