"""Which constructs a submission uses, from the facts about its syntax: for loops and constructs.

A function that uses a forbidden construct breaks the rule, also in a lambda or a function inside
it. One that leaves the construct to a function of its own that it calls may evade the rule or just
be well divided: a person decides. The functions that the exercise asks for are no such helpers, as
they have rules of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from grader.judging.rules.functions import (
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
from grader.judging.rules.rule import (
    Evidence,
    Hit,
    Ruling,
    broken,
    passed,
    review,
    skipped,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct, FunctionSurvey, Survey
from grader.suite.vocabulary import COMPREHENSIONS

_MOST_HELPERS: Final = 5
"""So many helpers have a sentence of their own."""


def forbidden(
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


def judge_forbidden(
    evidence: Evidence,
    constructs: tuple[str, ...],
    function: str | None,
    *,
    initialising: bool = False,
) -> Ruling:
    """Judge whether `function`, or all code, does without `constructs`; see `forbidden`."""
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
