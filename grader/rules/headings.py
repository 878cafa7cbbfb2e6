"""Judges whether a function has kept the heading that the exercise gave it.

The first parameters must be those of the heading, in that order, with a default where the heading
has one; a default that was added hurts nobody who calls the function. Every difference is said at
once, since a student mends them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from grader.demands import Extra, Parameter, Signature
from grader.messages import Message, message
from grader.rules.finding import Hit, RuleFinding, broken, passed, review
from grader.rules.functions import definitions, in_code, label, listed_name, not_found
from grader.survey import FunctionFacts, Param, Survey

_BY_PLACE: Final = ("positional", "positional only")
_COLLECTING: Final = ("*args", "**kwargs")


def judge_signature(demand: Signature, survey: Survey) -> RuleFinding:
    """Judge whether the function of `demand` has the parameters that it must have."""
    found = definitions(survey, demand.function)
    if not found:
        return not_found(survey, demand.function)
    problems, facts = min(
        ((tuple(_problems(demand, facts)), facts) for facts in found),
        key=lambda judged: len(judged[0]),
    )
    here = Hit(place=facts.place)
    if problems:
        return broken(*problems, hits=(here,))
    wanted = {parameter.name for parameter in demand.parameters}
    nameless = [
        each.name
        for each in facts.parameters
        if each.kind == "positional only" and each.name in wanted
    ]
    if nameless:
        said = message("syntax.positional_only", parameters=in_code(nameless))
        return review(said, hits=(here,))
    return passed(message("syntax.heading_kept", function=label(demand.function)))


def _problems(demand: Signature, facts: FunctionFacts) -> Iterator[Message]:
    """Yield what is wrong with the parameters of a function: names, order, defaults, extra ones."""
    wanted = [each.name for each in demand.parameters]
    by_place = [each.name for each in facts.parameters if each.kind in _BY_PLACE]
    renamed = {}
    for number, name, given in _renamed(wanted, facts):
        renamed[given] = name
        yield message("syntax.renamed", number=number, expected=name, got=listed_name(given))
    names = [renamed.get(name, name) for name in by_place]
    yield from _absent([name for name in wanted if name not in names], facts)
    present = [name for name in wanted if name in names]
    if names[: len(present)] != present:
        yield message("syntax.order", expected=in_code(wanted), got=in_code(by_place))
    yield from _defaults(demand.parameters, facts, renamed)
    extra = [each for each in facts.parameters if renamed.get(each.name, each.name) not in wanted]
    yield from _too_many(demand.extra, extra)


def _renamed(wanted: list[str], facts: FunctionFacts) -> Iterator[tuple[int, str, str]]:
    """Yield the parameters, counted from 1, that only have another name: (wanted, given)."""
    everywhere = {each.name for each in facts.parameters}
    by_place = [each.name for each in facts.parameters if each.kind in _BY_PLACE]
    for number, (name, given) in enumerate(zip(wanted, by_place, strict=False), start=1):
        if name not in everywhere and given not in wanted:
            yield number, name, given


def _absent(absent: list[str], facts: FunctionFacts) -> Iterator[Message]:
    by_name = [
        each.name
        for each in facts.parameters
        if each.name in absent and each.kind == "keyword only"
    ]
    if by_name:
        yield message("syntax.keyword_only", count=len(by_name), parameters=in_code(by_name))
    gone = [name for name in absent if name not in by_name]
    if gone:
        yield message("syntax.parameters_missing", count=len(gone), parameters=in_code(gone))


def _defaults(
    wanted: tuple[Parameter, ...], facts: FunctionFacts, renamed: Mapping[str, str]
) -> Iterator[Message]:
    without = {
        renamed.get(each.name, each.name) for each in facts.parameters if not each.has_default
    }
    bare = [each.name for each in wanted if each.has_default and each.name in without]
    if bare:
        yield message("syntax.default_missing", count=len(bare), parameters=in_code(bare))


def _too_many(allowed: Extra, extra: list[Param]) -> Iterator[Message]:
    match allowed:
        case Extra.NONE:
            wrong = [_written(each) for each in extra]
            if wrong:
                yield message("syntax.extra", count=len(wrong), parameters=in_code(wrong))
        case Extra.DEFAULTS:
            needy = [each for each in extra if not each.has_default]
            wrong = [each.name for each in needy if each.kind not in _COLLECTING]
            if wrong:
                yield message("syntax.extra_bare", count=len(wrong), parameters=in_code(wrong))


def _written(param: Param) -> str:
    """Return `param` with the stars that it is written with."""
    stars = {"*args": "*", "**kwargs": "**"}
    return f"{stars.get(param.kind, '')}{param.name}"
