"""Advice from simple measures of the syntax: length, nesting, parameters, copies, docstrings.

The facts come from a process that has run nothing of the submission, and their shape has been
checked, but the names in them are the student's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grader.intake.submission import SourceFile
from grader.judging.advice.linting import line_of
from grader.judging.advice.listing import MAX_PLACES, listed
from grader.judging.record import Advice, RuleHit
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, Place, Survey

MAX_CODE_LINES: Final = 30
MAX_NESTING: Final = 4
MAX_PARAMETERS: Final = 6

_LOCAL: Final = ".<locals>."


def measured(sources: Mapping[str, SourceFile], survey: Survey) -> Iterator[Advice]:
    """Yield what the measures of `survey` ask for, the most useful first."""
    functions = [one for one in survey.functions if one.place.module in sources]
    for item in (
        _repeated(sources, survey),
        _too_long(sources, functions),
        _too_nested(sources, functions),
        _too_many_parameters(sources, functions),
        _without_docstring(sources, functions),
    ):
        if item.count:
            yield item


def _repeated(sources: Mapping[str, SourceFile], survey: Survey) -> Advice:
    own = [one for one in survey.repeated if {one.first.module, one.second.module} <= set(sources)]
    own.sort(key=lambda one: -one.statements)
    most = max((one.statements for one in own), default=0)
    return Advice(
        kind="repeated",
        said=message("advice.repeated", count=len(own), most=most),
        hits=_hits(sources, [place for one in own for place in (one.first, one.second)]),
        count=len(own),
    )


def _too_long(sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]) -> Advice:
    found = [one for one in functions if one.code_lines > MAX_CODE_LINES]
    found.sort(key=lambda one: -one.code_lines)
    most = max((one.code_lines for one in found), default=0)
    said = message(
        "advice.too_long", names=_names(found), count=len(found), most=most, limit=MAX_CODE_LINES
    )
    return _about(sources, found, "too_long", said)


def _too_nested(sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]) -> Advice:
    found = [one for one in functions if one.nesting > MAX_NESTING]
    found.sort(key=lambda one: -one.nesting)
    most = max((one.nesting for one in found), default=0)
    said = message(
        "advice.too_nested", names=_names(found), count=len(found), most=most, limit=MAX_NESTING
    )
    return _about(sources, found, "too_nested", said)


def _too_many_parameters(
    sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]
) -> Advice:
    found = [one for one in functions if _parameters(one) > MAX_PARAMETERS]
    found.sort(key=lambda one: -_parameters(one))
    said = message(
        "advice.too_many_parameters",
        names=_names(found),
        count=len(found),
        most=max(map(_parameters, found), default=0),
        limit=MAX_PARAMETERS,
    )
    return _about(sources, found, "too_many_parameters", said)


def _without_docstring(
    sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]
) -> Advice:
    """Return the advice to be consistent: nothing where no function has a docstring, or each."""
    open_to_all = [one for one in functions if _wants_docstring(one)]
    found = [one for one in open_to_all if not one.has_docstring]
    if len(found) == len(open_to_all):
        found = []
    said = message("advice.no_docstring", names=_names(found), count=len(found))
    return _about(sources, found, "no_docstring", said)


def _about(
    sources: Mapping[str, SourceFile],
    functions: Sequence[FunctionSurvey],
    kind: str,
    said: Message,
) -> Advice:
    hits = _hits(sources, [one.place for one in functions])
    return Advice(kind=kind, said=said, hits=hits, count=len(functions))


def _hits(sources: Mapping[str, SourceFile], places: Sequence[Place]) -> tuple[RuleHit, ...]:
    return tuple(
        RuleHit(
            file=sources[place.module].name,
            line=place.line,
            column=place.column,
            text=line_of(sources[place.module].text, place.line),
        )
        for place in list(dict.fromkeys(places))[:MAX_PLACES]
    )


def _names(functions: Sequence[FunctionSurvey]) -> str:
    return listed([_own_name(one) for one in functions])


def _own_name(function: FunctionSurvey) -> str:
    """Return the name of `function` as one says it: without its module."""
    inside = function.name.removeprefix(f"{function.place.module}.")
    return inside.rpartition(_LOCAL)[2]


def _parameters(function: FunctionSurvey) -> int:
    """Return how many arguments a call of `function` may have to think of."""
    return sum(parameter.name not in {"self", "cls"} for parameter in function.parameters)


def _wants_docstring(function: FunctionSurvey) -> bool:
    """Return whether others than its author may want to know what `function` does."""
    last = function.name.rpartition(".")[2]
    return _LOCAL not in function.name and not last.startswith("__")
