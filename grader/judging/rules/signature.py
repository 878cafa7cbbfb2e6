"""A rule on signatures: functions must keep the headings that the exercise gives.

The first parameters must be those of the heading, in the same order. A parameter must have a
default if it has one in the heading. Added defaults are allowed, as they break no caller. All
differences are reported at once, so that students can fix them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Self,
    TypeAlias,
    assert_never,
)

from grader.judging.results import Hit, Ruling, broken_ruling, passed_ruling, review_ruling
from grader.judging.rules.rule import (
    Evidence,
    JudgedRule,
    definitions,
    format_as_code,
    name_for_list,
    not_found_ruling,
    unqualified_name,
)
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, ParameterSurvey
from grader.suite.fields import Items, editor_pattern, key, parsed_by
from grader.suite.rules import RuleScope
from grader.suite.texts import HEADING_PATTERN, FunctionHeading, Parameter, parse_heading

if TYPE_CHECKING:  # at run time it would import YAML, which cached suites do not need
    from grader.suite.document import NodePath

_POSITIONAL: Final = ("positional", "positional only")
_COLLECTING: Final = ("*args", "**kwargs")


_Heading: TypeAlias = Annotated[
    FunctionHeading, parsed_by(parse_heading), editor_pattern(HEADING_PATTERN)
]
Extra: TypeAlias = Literal["none", "defaults"]
"""Which parameters are allowed after those of a heading."""


class Signature(JudgedRule, title="signature"):
    """Functions that must keep their headings."""

    kind: ClassVar[str] = "signature"
    summary: ClassVar[str] = "Functions that must keep their headings."
    example: ClassVar[dict[str, Any]] = {"headings": ["Position.left(dimension, position)"]}

    headings: Items[_Heading] = key(
        "Names of functions with their parameters, in order; each becomes a "
        "separate rule. The values of defaults are not compared.",
        ["Board.make_board(dimension=10, positions_to_fill=frozenset())"],
        min_length=1,
    )
    extra: Extra = key(
        "Parameters that may follow those of a heading: ones with a default (defaults), or none.",
        "none",
        default="defaults",
    )

    @property
    def about(self) -> str | None:
        """The function of the only heading, once `split` has split the rule by heading."""
        return self.headings[0].function

    def split(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a copy of the rule for each heading."""
        for index, heading in enumerate(self.headings):
            yield ("headings", index), self.with_changes(headings=(heading,))

    def check(self, scope: RuleScope) -> None:
        """Report unknown functions to `scope`."""
        scope.check_functions("headings", (heading.function for heading in self.headings))

    def sentence(self) -> Message:
        """Return the demand: the heading, and which further parameters are allowed."""
        (heading,) = self.headings
        parameters = ", ".join(
            f"{parameter.name}=…" if parameter.has_default else parameter.name
            for parameter in heading.parameters
        )
        heading_text = f"{unqualified_name(heading.function)}({parameters})"
        match self.extra:
            case "none":
                return message("demand.heading_exact", heading=heading_text)
            case "defaults":
                return message("demand.heading", heading=heading_text)
            case _:
                assert_never(self.extra)

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on the survey of the source.

        It is REVIEW if the function keeps the heading, but makes some parameters positional-only.
        """
        (heading,) = self.headings
        function = evidence.dotted(heading.function)
        candidates = definitions(evidence.survey, function)
        if not candidates:
            return not_found_ruling(evidence.survey, function)
        # Of several definitions, judge the one with the fewest problems.
        problems, facts = min(
            (
                (tuple(_heading_problems(heading.parameters, self.extra, facts)), facts)
                for facts in candidates
            ),
            key=lambda problems_and_facts: len(problems_and_facts[0]),
        )
        hit = Hit(place=facts.place)
        if problems:
            return broken_ruling(*problems, hits=(hit,))
        heading_names = {parameter.name for parameter in heading.parameters}
        # Calls that pass a positional-only parameter by keyword would fail.
        positional_only = [
            parameter.name
            for parameter in facts.parameters
            if parameter.kind == "positional only" and parameter.name in heading_names
        ]
        if positional_only:
            reason = message("syntax.positional_only", parameters=format_as_code(positional_only))
            return review_ruling(reason, hits=(hit,))
        return passed_ruling(
            message("syntax.heading_kept", function=unqualified_name(heading.function))
        )


def _heading_problems(
    parameters: tuple[Parameter, ...], extra: Extra, facts: FunctionSurvey
) -> Iterator[Message]:
    """Yield a message about each way in which `facts` differs from a heading with `parameters`.

    The ways are renamed, missing and reordered parameters, missing defaults, and added parameters
    that `extra` does not allow.
    """
    heading_names = [parameter.name for parameter in parameters]
    positional = [parameter.name for parameter in facts.parameters if parameter.kind in _POSITIONAL]
    wanted_by_actual = {}
    for number, name, actual in _renamed_parameters(heading_names, facts):
        wanted_by_actual[actual] = name
        yield message("syntax.renamed", number=number, expected=name, got=name_for_list(actual))
    # Undo renaming, so that a renamed parameter is not reported as missing as well.
    names = [wanted_by_actual.get(name, name) for name in positional]
    yield from _missing_parameters([name for name in heading_names if name not in names], facts)
    present = [name for name in heading_names if name in names]
    if names[: len(present)] != present:
        yield message(
            "syntax.order", expected=format_as_code(heading_names), got=format_as_code(positional)
        )
    yield from _missing_defaults(parameters, facts, wanted_by_actual)
    added = [
        parameter
        for parameter in facts.parameters
        if wanted_by_actual.get(parameter.name, parameter.name) not in heading_names
    ]
    yield from _extra_parameters(extra, added)


def _renamed_parameters(
    heading_names: list[str], facts: FunctionSurvey
) -> Iterator[tuple[int, str, str]]:
    """Yield the number (from 1), the wanted name and the actual name of each renamed parameter."""
    # A name that occurs elsewhere in the heading or the function is misplaced, not renamed.
    actual_names = {parameter.name for parameter in facts.parameters}
    positional = [p.name for p in facts.parameters if p.kind in _POSITIONAL]
    for number, (name, actual) in enumerate(zip(heading_names, positional, strict=False), start=1):
        if name not in actual_names and actual not in heading_names:
            yield number, name, actual


def _missing_parameters(absent: list[str], facts: FunctionSurvey) -> Iterator[Message]:
    """Yield messages about `absent` positional parameters, which are keyword-only or missing."""
    keyword_only = [
        parameter.name
        for parameter in facts.parameters
        if parameter.name in absent and parameter.kind == "keyword only"
    ]
    if keyword_only:
        yield message(
            "syntax.keyword_only", count=len(keyword_only), parameters=format_as_code(keyword_only)
        )
    missing = [name for name in absent if name not in keyword_only]
    if missing:
        yield message(
            "syntax.parameters_missing", count=len(missing), parameters=format_as_code(missing)
        )


def _missing_defaults(
    heading_parameters: tuple[Parameter, ...],
    facts: FunctionSurvey,
    wanted_by_actual: Mapping[str, str],
) -> Iterator[Message]:
    """Yield a message about the parameters that have a default only in the heading, if any."""
    names_without_default = {
        wanted_by_actual.get(parameter.name, parameter.name)
        for parameter in facts.parameters
        if not parameter.has_default
    }
    missing = [
        parameter.name
        for parameter in heading_parameters
        if parameter.has_default and parameter.name in names_without_default
    ]
    if missing:
        yield message(
            "syntax.default_missing", count=len(missing), parameters=format_as_code(missing)
        )


def _extra_parameters(allowed: Extra, added: list[ParameterSurvey]) -> Iterator[Message]:
    """Yield a message about the `added` parameters that are not `allowed`, if any."""
    match allowed:
        case "none":
            not_allowed = [_with_stars(parameter) for parameter in added]
            if not_allowed:
                yield message(
                    "syntax.extra", count=len(not_allowed), parameters=format_as_code(not_allowed)
                )
        case "defaults":
            without_default = [parameter for parameter in added if not parameter.has_default]
            # `*args` and `**kwargs` have no default, but callers can leave them out as well.
            not_allowed = [
                parameter.name for parameter in without_default if parameter.kind not in _COLLECTING
            ]
            if not_allowed:
                yield message(
                    "syntax.extra_bare",
                    count=len(not_allowed),
                    parameters=format_as_code(not_allowed),
                )


def _with_stars(param: ParameterSurvey) -> str:
    """Return the name of `param` with its stars, if any."""
    stars = {"*args": "*", "**kwargs": "**"}
    return f"{stars.get(param.kind, '')}{param.name}"
