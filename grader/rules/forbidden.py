"""Judges which constructs a submission uses, from the facts about its syntax.

A function that uses a forbidden construct breaks the rule, also in a lambda or a function inside
it. One that leaves the construct to a function of its own that it calls may evade the rule or just
be well divided: a person decides. The functions that the exercise asks for are no such helpers, as
they have rules of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from grader.demands import Forbidden
from grader.messages import Message, message
from grader.rules.finding import Hit, RuleFinding, broken, passed, review, skipped
from grader.rules.functions import (
    MOST_HITS,
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
from grader.survey import Construct, FunctionFacts, Survey

_MOST_HELPERS: Final = 5
"""So many helpers have a sentence of their own."""


def judge_forbidden(demand: Forbidden, survey: Survey, defined: Collection[str]) -> RuleFinding:
    """Judge whether a function, or all code, does without the constructs of `demand`.

    `defined` are the functions that the exercise asks for, as its suite calls them.
    """
    uses = [use for use in sorted(survey.constructs, key=_start) if use.kind in demand.constructs]
    if demand.function is None:
        return _everywhere(demand, survey, uses)
    roots = definitions(survey, demand.function)
    if not roots:
        return not_found(survey, demand.function)
    by_function = _by_function(survey, uses)
    own = [use for facts in roots for use in by_function[facts.name]]
    wrong = _wrong(demand, own)
    function = label(demand.function)
    if wrong:
        said = message("syntax.forbidden", function=function, constructs=_kinds(wrong))
        return broken(said, hits=_hits(wrong))
    reached = _reached(survey, [facts.name for facts in roots], defined)
    helpers = {name: _wrong(demand, by_function[name]) for name in reached}
    if any(helpers.values()):
        evidence = _about_helpers(function, survey, helpers, reached)
        return review(*evidence, hits=_hits(use for each in helpers.values() for use in each))
    said = message("syntax.allowed", function=function, constructs=in_code(demand.constructs, None))
    return passed(said, *_initialising(own))


def _start(use: Construct) -> tuple[str, int, int]:
    return use.place.module, use.place.line, use.place.column


def _wrong(demand: Forbidden, uses: Iterable[Construct]) -> list[Construct]:
    """Return the `uses` that no exception of `demand` excuses."""
    return [use for use in uses if not (demand.initialising and use.initialises)]


def _everywhere(demand: Forbidden, survey: Survey, uses: list[Construct]) -> RuleFinding:
    wrong = _wrong(demand, uses)
    if wrong:
        said = message("syntax.forbidden_somewhere", constructs=_kinds(wrong))
        return broken(said, hits=_hits(wrong))
    if survey.unparsed:
        return skipped(unreadable(survey))
    said = message("syntax.allowed_everywhere", constructs=in_code(demand.constructs, None))
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


def _is_defined(facts: FunctionFacts, defined: Collection[str]) -> bool:
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
