"""What all rules of a suite share: their keys, what their entry may name, what each kind must say.

A *rule* demands something of the structure of a submission: that a function is recursive, that a
construct is not used, that a function takes constant time. An entry of the file and the rule in
memory are one and the same model. Which kinds there are is said by those who judge them; whoever
loads a suite is given them.
"""

from __future__ import annotations

import types
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from pydantic import ConfigDict, Field, create_model

from grader.messages import Message
from grader.suite import texts
from grader.suite.diagnostics import did_you_mean, listed, quoted
from grader.suite.fields import Form, Id, parsed_by, pattern_of
from grader.suite.findings import Findings
from grader.suite.reading import NodePath

FunctionName: TypeAlias = Annotated[
    str, parsed_by(texts.function), pattern_of(texts.FUNCTION_PATTERN)
]

ONE_COST: Final[dict[str, Any]] = {"not": {"required": ["points", "cap"]}}
"""What editors are told about the keys that all rules share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the entry of a rule can name, and where what is wrong with it is reported.

    Paths lead from the entry to a value in it.
    """

    findings: Findings
    path: NodePath
    """Where the entry stands."""
    functions: tuple[str, ...]
    """What a submission defines, or may define."""
    module: str
    """The module that is handed in, when there is one."""
    modules: tuple[str, ...]
    """The modules that are handed in, when there are several."""
    given: tuple[str, ...]
    """Modules of given code."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the steps of a probe find bound: several modules, or what a single one defines."""
        return self.modules or self.functions

    def at_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`."""
        self.findings.at_value((*self.path, *path), message, advice)

    def at_key(self, key: str, message: str, advice: str) -> None:
        """Report `message` about the `key` of the entry."""
        self.findings.at_key((*self.path, key), message, advice)

    def check_repeated(self, what: str, key: str) -> None:
        """Report each `what` of the list at `key` that stands there twice."""
        self.findings.repeated(what, (*self.path, key))

    def knows(self, function: str) -> bool:
        """Return whether submissions know `function`: it, or the class that it is a method of."""
        return not {function, function.rpartition(".")[0]}.isdisjoint(self.functions)

    def check_function(self, path: NodePath, name: str) -> None:
        """Report the function `name` at `path` if submissions know nothing of it."""
        if not self.knows(name):
            message = f"unknown function {quoted(name)}{did_you_mean(name, self.functions)}"
            advice = f"functions in `defines` and `helpers`: {listed(self.functions)}"
            self.at_value(path, message, advice)

    def check_functions(self, key: str, names: Iterable[str]) -> None:
        """Report each of the functions `names`, the list at `key`, that is not known."""
        for index, name in enumerate(names):
            self.check_function((key, index), name)


class Rule(Form):
    """What all rules share: a name, and what it costs to go against it."""

    model_config = ConfigDict(json_schema_extra=ONE_COST)

    kind: ClassVar[str]
    """The key of `rules` under which such rules stand."""
    summary: ClassVar[str]
    """What that key is for."""
    example: ClassVar[dict[str, Any]]
    """One such rule, as YAML writes it."""
    most: ClassVar[int | None] = None
    """How many of them a suite may have."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_config: object) -> None:
        """Name rules after their kind in messages."""
        cls.called = f"a rule on {getattr(cls, 'kind', 'something')}"

    id: Id = Field(
        default="",
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

    @property
    def costs(self) -> bool:
        """Whether breaking it can cost anything."""
        return self.points is not None or self.cap is not None

    @property
    def about(self) -> str | None:
        """The one function that it is about, None if it is about more."""
        return None

    @property
    def name(self) -> str | None:
        """What stands behind the kind in its id by default; None for a number."""
        return self.about or ""

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield the rules that this entry stands for, each with where it is in the entry."""
        yield (), self

    def check(self, scope: Scope) -> None:
        """Report to `scope` what is wrong between this entry and the rest of the suite."""

    def completed(self, scope: Scope) -> Self:
        """Return this rule with what the rest of the suite says about it."""
        del scope
        return self

    @abstractmethod
    def sentence(self) -> Message:
        """Return the sentence that says what it asks."""


class RulesForm(Form):
    """Rules by their kind."""

    model_config = ConfigDict(title="rules")
    called = "rules"


Kinds: TypeAlias = tuple[type[Rule], ...]
"""The kinds of rules that a suite may have, in the order in which they are judged."""


@cache
def rules_form(kinds: Kinds) -> type[RulesForm]:
    """Return the form of the rules of a suite that may have `kinds`: a key for each of them."""
    fields: dict[str, Any] = {}
    for kind in kinds:
        field: Any = Field(
            default_factory=list,
            max_length=kind.most,
            description=kind.summary,
            examples=[[kind.example]],
        )
        fields[kind.kind] = (types.GenericAlias(list, kind), field)
    return create_model("RulesForm", __base__=RulesForm, __doc__=RulesForm.__doc__, **fields)
