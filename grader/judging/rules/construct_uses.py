"""Finds where a submission uses constructs, and which of its code can run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from grader.judging.probing import Probe
from grader.judging.results import Hit
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    format_as_code,
    is_meant_by,
    is_superseded,
    outermost_function,
    superseded_definitions,
    unqualified_name,
)
from grader.sandbox.survey import Construct, FunctionSurvey, Survey, SuspiciousName


def source_position(use: Construct) -> tuple[str, int, int]:
    """Return the sort key that orders uses by position in the source."""
    return use.place.module, use.place.line, use.place.column


def uses_by_function(survey: Survey, uses: Iterable[Construct]) -> Mapping[str, list[Construct]]:
    """Return `uses` grouped by outermost function, including uses in its nested functions.

    Uses in definitions that were replaced later are left out.
    """
    superseded = superseded_definitions(survey)
    by_function: dict[str, list[Construct]] = defaultdict(list)
    for use in uses:
        if not is_superseded(use.function, use.place, superseded):
            by_function[outermost_function(use.function)].append(use)
    return by_function


def reachable_helpers(
    survey: Survey, names: list[str], defined: Collection[str]
) -> dict[str, bool]:
    """Return the helpers that the functions `names` reach through calls, nearest first.

    The dict maps each helper to whether one of `names` calls it directly. Calls to `defined`
    functions are not followed.
    """
    calls = _calls_by_function(survey)
    excluded = {
        facts.name for facts in survey.functions if _is_exercise_function(facts, defined)
    } | {*names}
    reached: dict[str, bool] = {}
    frontier, direct = names, True
    while frontier:  # breadth first, so that the nearest helpers come first
        called = dict.fromkeys(callee for name in frontier for callee in calls[name])
        frontier = [name for name in called if name not in excluded and name not in reached]
        reached.update(dict.fromkeys(frontier, direct))
        direct = False
    return reached


def may_run_predicate(evidence: Evidence) -> Callable[[Construct], bool]:
    """Return a predicate that tells whether a use could run when the submission is graded."""
    survey = evidence.survey
    # If names are computed at run time, or the survey was truncated, any code could run.
    if survey.unnamed or survey.is_clipped:
        return lambda _: True
    pending = [name for names in survey.starts.values() for name in names]
    for facts in survey.functions:
        # If the function is a method, the exercise might require the whole class.
        class_name = facts.name.rpartition(".")[0]
        if (
            _is_exercise_function(facts, evidence.required_functions)
            or class_name in evidence.required_functions
        ):
            pending.append(facts.name)
    calls, ran = _calls_by_function(survey), set(survey.starts)
    while pending:
        name = outermost_function(pending.pop())
        if name not in ran:
            ran.add(name)
            pending += calls[name]
    superseded = superseded_definitions(survey)

    def may_run(use: Construct) -> bool:
        is_replaced = is_superseded(use.function, use.place, superseded)
        return outermost_function(use.function) in ran and use.doubt != "dead" and not is_replaced

    return may_run


def _calls_by_function(survey: Survey) -> Mapping[str, list[str]]:
    """Return the calls of each outermost function, including those in its nested functions.

    Calls in definitions that were replaced later are left out.
    """
    superseded = superseded_definitions(survey)
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        if not is_superseded(facts.name, facts.place, superseded):
            calls[outermost_function(facts.name)] += map(outermost_function, facts.calls)
    return calls


def _is_exercise_function(facts: FunctionSurvey, defined: Collection[str]) -> bool:
    return any(is_meant_by(facts, name) for name in defined)


def possibly_recursive_function(
    survey: Survey, function: str, excluded: Collection[str], *, with_helpers: bool
) -> FunctionSurvey | None:
    """Return a function that could call itself according to the source, or None.

    Only `function` is checked, and with `with_helpers` also the functions that it could call.
    Functions whose names are `excluded` are ignored.
    """
    by_name = {facts.name: facts for facts in survey.functions if facts.name not in excluded}
    helpers = _callees(function, by_name) if with_helpers else ()
    return next(
        (by_name[name] for name in (function, *helpers) if name in _callees(name, by_name)), None
    )


def _callees(caller: str, by_name: Mapping[str, FunctionSurvey]) -> dict[str, None]:
    """Return the functions that `caller` could call according to the source, even indirectly.

    Functions that are not in `by_name` are ignored.
    """
    callees: dict[str, None] = {}
    pending = [caller]
    while pending:
        facts = by_name.get(pending.pop())
        for name in facts.calls if facts else ():
            if name not in callees and name in by_name:
                callees[name] = None
                pending.append(name)
    return callees


def kinds_in_code(uses: Iterable[Construct]) -> str:
    """Return the kinds of `uses` as code spans, separated by commas."""
    return format_as_code((use.kind for use in uses), None)


def hits_for_uses(uses: Iterable[Construct]) -> tuple[Hit, ...]:
    """Return the positions of the first `uses`."""
    hits = [Hit(place=use.place, what=use.kind) for use in sorted(uses, key=source_position)]
    return tuple(hits[:MAX_HITS])


# Code that could run during a probe, over-approximated by names.
#
# The search starts from names in the steps of the probe and from code that runs on import, and
# follows the names that functions read. If names are computed at run time, all code could run.


def relevant_suspicious_names(
    evidence: Evidence, probe: Probe, words: Collection[str]
) -> list[SuspiciousName]:
    """Return the suspicious names that could deceive `probe`, whose steps contain `words`.

    Code that never runs during the probe cannot deceive it.
    """
    survey = evidence.survey
    if not survey.suspicious:
        return []
    modules = _imported_modules(survey, [evidence.parts.get(name, name) for name in probe.modules])
    reachable = _code_that_may_run(survey, modules, words)
    if reachable is None:
        return list(survey.suspicious)
    return [name for name in survey.suspicious if name.function in reachable]


def _imported_modules(survey: Survey, modules: Iterable[str]) -> dict[str, None]:
    """Return `modules` and the submission's modules that they import.

    Return all modules if any import is relative.
    """
    reached: dict[str, None] = {}
    pending = list(modules)
    while pending:
        module = pending.pop()
        reached[module] = None
        for imported in survey.imports:
            if imported.place.module == module:
                # The survey does not resolve relative imports, so any module could be meant.
                if imported.name.startswith("."):
                    return dict.fromkeys(survey.starts)
                imported_modules = {
                    imported.name,
                    imported.name.partition(".")[0],
                } & survey.starts.keys()
                pending += (name for name in imported_modules if name not in reached)
    return reached


def _code_that_may_run(
    survey: Survey, modules: Iterable[str], words: Collection[str]
) -> Mapping[str, None] | None:
    """Return the functions and modules whose code could run in a probe.

    Importing `modules` runs their code. The probe can call functions whose name, without module
    and class, is in `words`. All this code can call further functions. Return None if the code
    cannot be narrowed down, so that all of it could run.
    """
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        calls[facts.name] += facts.calls
    if survey.is_clipped:
        return None
    reachable: dict[str, None] = dict.fromkeys(modules)
    pending = [name for module in reachable for name in survey.starts.get(module, ())]
    pending += (facts.name for facts in survey.functions if unqualified_name(facts.name) in words)
    while pending:
        name = pending.pop()
        if name not in reachable:
            reachable[name] = None
            pending += calls[name]
    return None if any(name in reachable for name in survey.unnamed) else reachable
