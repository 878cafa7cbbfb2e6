"""A rule on signatures: functions must keep the headings given by the exercise.

The first parameters must be those of the heading, in that order, with a default where the heading
has one; an added default harms no caller. All differences are reported at once, since a student
fixes them together.
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

from grader.judging.results import Hit, Ruling, broken, passed, review
from grader.judging.rules.rule import (
    Evidence,
    JudgedRule,
    definitions,
    in_code,
    label,
    listed_name,
    not_found,
)
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, ParameterSurvey
from grader.suite.fields import Items, key, parsed_by, pattern_of
from grader.suite.rules import RuleScope
from grader.suite.texts import HEADING_PATTERN, FunctionHeading, Parameter, parse_heading

if TYPE_CHECKING:  # with it comes YAML, and most suites were read before
    from grader.suite.document import NodePath

_POSITIONAL: Final = ("positional", "positional only")
_COLLECTING: Final = ("*args", "**kwargs")


_Heading: TypeAlias = Annotated[
    FunctionHeading, parsed_by(parse_heading), pattern_of(HEADING_PATTERN)
]
Extra: TypeAlias = Literal["none", "defaults"]
"""Which parameters may be added after those of a heading."""


class Signature(JudgedRule, title="signature"):
    """Functions that must keep their headings."""

    kind: ClassVar[str] = "signature"
    summary: ClassVar[str] = "Functions that must keep their headings."
    example: ClassVar[dict[str, Any]] = {"headings": ["Position.left(dimension, position)"]}

    headings: Items[_Heading] = key(
        "Names of functions with their parameters, in order; each is a rule of its "
        "own. Which default a parameter has does not count.",
        ["Board.make_board(dimension=10, positions_to_fill=frozenset())"],
        min_length=1,
    )
    extra: Extra = key(
        "Parameters that may come behind these: those with a default (defaults), or none.",
        "none",
        default="defaults",
    )

    @property
    def about(self) -> str | None:
        """The function, once there is one."""
        return self.headings[0].function

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a rule for each heading."""
        for index, heading in enumerate(self.headings):
            yield ("headings", index), self.changed(headings=(heading,))

    def check(self, scope: RuleScope) -> None:
        """Report unknown functions."""
        scope.check_functions("headings", (heading.function for heading in self.headings))

    def sentence(self) -> Message:
        """Say what the heading is, and which parameters may follow."""
        (heading,) = self.headings
        parameters = ", ".join(
            f"{each.name}=…" if each.has_default else each.name for each in heading.parameters
        )
        shown = f"{label(heading.function)}({parameters})"
        match self.extra:
            case "none":
                return message("demand.heading_exact", heading=shown)
            case "defaults":
                return message("demand.heading", heading=shown)
            case _:
                assert_never(self.extra)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        (heading,) = self.headings
        function = evidence.dotted(heading.function)
        found = definitions(evidence.survey, function)
        if not found:
            return not_found(evidence.survey, function)
        # Of several definitions, the one closest to the heading.
        problems, facts = min(
            ((tuple(_problems(heading.parameters, self.extra, facts)), facts) for facts in found),
            key=lambda judged: len(judged[0]),
        )
        hit = Hit(place=facts.place)
        if problems:
            return broken(*problems, hits=(hit,))
        wanted = {parameter.name for parameter in heading.parameters}
        # Calls that pass such a parameter by name would fail.
        positional_only = [
            each.name
            for each in facts.parameters
            if each.kind == "positional only" and each.name in wanted
        ]
        if positional_only:
            reason = message("syntax.positional_only", parameters=in_code(positional_only))
            return review(reason, hits=(hit,))
        return passed(message("syntax.heading_kept", function=label(heading.function)))


def _problems(
    parameters: tuple[Parameter, ...], extra: Extra, facts: FunctionSurvey
) -> Iterator[Message]:
    """Yield a message for each problem with parameters: names, order, defaults, extra ones."""
    wanted = [each.name for each in parameters]
    positional = [each.name for each in facts.parameters if each.kind in _POSITIONAL]
    renamed = {}
    for number, name, actual in _renamed(wanted, facts):
        renamed[actual] = name
        yield message("syntax.renamed", number=number, expected=name, got=listed_name(actual))
    # As if renamed back, so that a renamed parameter is not reported as missing too.
    names = [renamed.get(name, name) for name in positional]
    yield from _missing_parameters([name for name in wanted if name not in names], facts)
    present = [name for name in wanted if name in names]
    if names[: len(present)] != present:
        yield message("syntax.order", expected=in_code(wanted), got=in_code(positional))
    yield from _missing_defaults(parameters, facts, renamed)
    added = [each for each in facts.parameters if renamed.get(each.name, each.name) not in wanted]
    yield from _extra_parameters(extra, added)


def _renamed(wanted: list[str], facts: FunctionSurvey) -> Iterator[tuple[int, str, str]]:
    """Yield the number (from 1), wanted and given name of each renamed parameter."""
    everywhere = {each.name for each in facts.parameters}
    positional = [each.name for each in facts.parameters if each.kind in _POSITIONAL]
    for number, (name, actual) in enumerate(zip(wanted, positional, strict=False), start=1):
        if name not in everywhere and actual not in wanted:
            yield number, name, actual


def _missing_parameters(absent: list[str], facts: FunctionSurvey) -> Iterator[Message]:
    """Yield messages on the `absent` parameters: keyword-only ones, then missing ones."""
    keyword_only = [
        each.name
        for each in facts.parameters
        if each.name in absent and each.kind == "keyword only"
    ]
    if keyword_only:
        yield message(
            "syntax.keyword_only", count=len(keyword_only), parameters=in_code(keyword_only)
        )
    missing = [name for name in absent if name not in keyword_only]
    if missing:
        yield message("syntax.parameters_missing", count=len(missing), parameters=in_code(missing))


def _missing_defaults(
    wanted: tuple[Parameter, ...], facts: FunctionSurvey, renamed: Mapping[str, str]
) -> Iterator[Message]:
    without = {
        renamed.get(each.name, each.name) for each in facts.parameters if not each.has_default
    }
    missing = [each.name for each in wanted if each.has_default and each.name in without]
    if missing:
        yield message("syntax.default_missing", count=len(missing), parameters=in_code(missing))


def _extra_parameters(allowed: Extra, added: list[ParameterSurvey]) -> Iterator[Message]:
    """Yield a message on the `added` parameters that are not `allowed`."""
    match allowed:
        case "none":
            wrong = [_with_stars(each) for each in added]
            if wrong:
                yield message("syntax.extra", count=len(wrong), parameters=in_code(wrong))
        case "defaults":
            without_default = [each for each in added if not each.has_default]
            wrong = [each.name for each in without_default if each.kind not in _COLLECTING]
            if wrong:
                yield message("syntax.extra_bare", count=len(wrong), parameters=in_code(wrong))


def _with_stars(param: ParameterSurvey) -> str:
    """Return the name of `param` with its stars."""
    stars = {"*args": "*", "**kwargs": "**"}
    return f"{stars.get(param.kind, '')}{param.name}"
