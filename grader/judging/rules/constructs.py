"""Rules on constructs and on loops: what functions, or all code, must do without.

A function that uses a forbidden construct breaks the rule, also in a lambda or a function inside
it. One that leaves the construct to a function of its own that it calls may evade the rule or just
be well divided: a person decides. The functions that the exercise asks for are no such helpers, as
they have rules of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from pydantic import Field

from grader.judging.results import Hit, Ruling, broken, passed, review, skipped
from grader.judging.rules.rule import (
    MOST_HITS,
    Evidence,
    JudgedRule,
    definitions,
    former_definitions,
    in_code,
    is_called,
    is_superseded,
    label,
    listed_name,
    not_found,
    outermost,
    unreadable,
    without_module,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct, FunctionSurvey, Survey
from grader.suite import texts
from grader.suite.document import NodePath
from grader.suite.fields import FunctionName, Items, key, optional, parsed_by
from grader.suite.rules import Scope
from grader.suite.vocabulary import COMPREHENSIONS, FORBIDDABLE, LOOPS, expanded_constructs

_ConstructName: TypeAlias = Annotated[
    str, parsed_by(texts.construct), Field(json_schema_extra={"enum": [*FORBIDDABLE]})
]


_LoopName: TypeAlias = Annotated[
    str, parsed_by(texts.loop), Field(json_schema_extra={"enum": [*LOOPS]})
]


class Constructs(JudgedRule, title="constructs"):
    """Constructs that a submission must do without."""

    kind: ClassVar[str] = "constructs"
    summary: ClassVar[str] = "Constructs that must not be used."
    example: ClassVar[dict[str, Any]] = {"forbid": ["class", "lambda"]}

    forbid: Items[_ConstructName] = key(
        "Constructs that must not be used; see the list below.",
        ["class", "lambda", "map"],
        min_length=1,
    )
    functions: Items[FunctionName] | None = optional(
        "The functions that it is about; each is a rule of its own. Default: all code.",
        ["Board.make_board"],
        min_length=1,
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
        return _demand(self._constructs(), self.about, initialising=self.initialising)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        return _judged(evidence, self._constructs(), self.about, initialising=self.initialising)

    def _constructs(self) -> tuple[str, ...]:
        return expanded_constructs(self.forbid)


class Loops(JudgedRule, title="loops"):
    """Loops that functions must do without."""

    kind: ClassVar[str] = "loops"
    summary: ClassVar[str] = "Functions that must do without some kinds of loops."
    example: ClassVar[dict[str, Any]] = {"functions": ["Board.is_filled_row"], "forbid": ["for"]}

    functions: Items[FunctionName] = key(
        "The functions that it is about; each is a rule of its own.",
        ["Board.is_filled_row"],
        min_length=1,
    )
    forbid: Items[_LoopName] = key(
        "Loops that they must not have: for, while, comprehension.", ["for"], min_length=1
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
        return _demand(expanded_constructs(self.forbid), self.about)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        return _judged(evidence, expanded_constructs(self.forbid), self.about)


_MOST_HELPERS: Final = 5
"""So many helpers have a sentence of their own."""


def _demand(
    constructs: tuple[str, ...], function: str | None, *, initialising: bool = False
) -> Message:
    """Say that `function`, or all code, must not use `constructs`.

    With `initialising`, a comprehension may give a data structure its first content all the same.
    """
    shown = in_code(_together(constructs), None)
    if function is None:
        if initialising:
            return message("demand.nowhere_but_initialising", constructs=shown)
        return message("demand.nowhere", constructs=shown)
    if initialising:
        return message(
            "demand.without_but_initialising", function=label(function), constructs=shown
        )
    return message("demand.without", function=label(function), constructs=shown)


def _together(constructs: tuple[str, ...]) -> list[str]:
    """Return `constructs` with one word for the comprehensions when all kinds are among them."""
    if not set(COMPREHENSIONS) <= set(constructs):
        return list(constructs)
    return list(
        dict.fromkeys("comprehension" if each in COMPREHENSIONS else each for each in constructs)
    )


def _judged(
    evidence: Evidence,
    constructs: tuple[str, ...],
    function: str | None,
    *,
    initialising: bool = False,
) -> Ruling:
    """Judge whether `function`, or all code, does without `constructs`; see `_demand`."""
    survey = evidence.survey
    uses = [use for use in sorted(survey.constructs, key=_start) if use.kind in constructs]
    wrong = [use for use in uses if not (initialising and use.initialises)]
    if function is None:
        return _everywhere(survey, constructs, uses, wrong)
    roots = definitions(survey, evidence.dotted(function))
    if not roots:
        return not_found(survey, evidence.dotted(function))
    wrong_in, shown = _by_function(survey, wrong), label(function)
    if own := [use for facts in roots for use in wrong_in[facts.name]]:
        said = message("syntax.forbidden", function=shown, constructs=_kinds(own))
        return broken(said, hits=_hits(own))
    reached = _reached(survey, [facts.name for facts in roots], evidence.exercise)
    helpers = {name: wrong_in[name] for name in reached}
    if any(helpers.values()):
        told = _about_helpers(shown, survey, helpers, reached)
        return review(*told, hits=_hits(use for each in helpers.values() for use in each))
    used_in = _by_function(survey, uses)
    said = message("syntax.allowed", function=shown, constructs=in_code(constructs, None))
    return passed(said, *_initialising(use for facts in roots for use in used_in[facts.name]))


def _start(use: Construct) -> tuple[str, int, int]:
    return use.place.module, use.place.line, use.place.column


def _everywhere(
    survey: Survey, constructs: tuple[str, ...], uses: list[Construct], wrong: list[Construct]
) -> Ruling:
    if wrong:
        said = message("syntax.forbidden_somewhere", constructs=_kinds(wrong))
        return broken(said, hits=_hits(wrong))
    if survey.unparsed:
        return skipped(unreadable(survey))
    said = message("syntax.allowed_everywhere", constructs=in_code(constructs, None))
    return passed(said, *_initialising(uses))


def _by_function(survey: Survey, uses: Iterable[Construct]) -> Mapping[str, list[Construct]]:
    """Return the `uses` in each function, those in functions inside it included."""
    former = former_definitions(survey)
    found: dict[str, list[Construct]] = defaultdict(list)
    for use in uses:
        if not is_superseded(use.function, use.place, former):
            found[outermost(use.function)].append(use)
    return found


def _reached(survey: Survey, names: list[str], defined: Collection[str]) -> dict[str, bool]:
    """Return the helpers that functions reach through calls, and whether they call them directly.

    Nearest first. Where calls come to a function of the exercise, they are not followed.
    """
    calls = _calls(survey)
    stops = {facts.name for facts in survey.functions if _is_defined(facts, defined)} | {*names}
    reached: dict[str, bool] = {}
    edge, direct = names, True
    while edge:
        called = dict.fromkeys(callee for name in edge for callee in calls[name])
        edge = [name for name in called if name not in stops and name not in reached]
        reached.update(dict.fromkeys(edge, direct))
        direct = False
    return reached


def _calls(survey: Survey) -> Mapping[str, list[str]]:
    """Return what each function calls, functions inside it included."""
    former = former_definitions(survey)
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        if not is_superseded(facts.name, facts.place, former):
            calls[outermost(facts.name)] += map(outermost, facts.calls)
    return calls


def _is_defined(facts: FunctionSurvey, defined: Collection[str]) -> bool:
    return any(is_called(facts, name) for name in defined)


def _about_helpers(
    function: str,
    survey: Survey,
    helpers: Mapping[str, list[Construct]],
    direct: Mapping[str, bool],
) -> Iterator[Message]:
    """Yield a sentence for each helper that uses something forbidden, the nearest ones first."""
    names = {facts.name: listed_name(without_module(facts)) for facts in survey.functions}
    guilty = [name for name, uses in helpers.items() if uses]
    for name in guilty[:_MOST_HELPERS]:
        helper, kinds = names.get(name, listed_name(name)), _kinds(helpers[name])
        if direct[name]:
            yield message("syntax.helper", helper=helper, function=function, constructs=kinds)
        else:
            yield message("syntax.helper_far", helper=helper, function=function, constructs=kinds)


def _initialising(uses: Iterable[Construct]) -> tuple[Message, ...]:
    """Return a sentence about the uses that are fine because they initialise, if there are any."""
    kinds = _kinds(use for use in uses if use.initialises)
    return (message("syntax.initialises", constructs=kinds),) if kinds else ()


def _kinds(uses: Iterable[Construct]) -> str:
    return in_code((use.kind for use in uses), None)


def _hits(uses: Iterable[Construct]) -> tuple[Hit, ...]:
    hits = [Hit(place=use.place, what=use.kind) for use in sorted(uses, key=_start)]
    return tuple(hits[:MOST_HITS])
