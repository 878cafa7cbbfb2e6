"""Finds where a submission uses constructs, and which functions call that code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from grader.judging.probing import Probe
from grader.judging.results import Hit
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    former_definitions,
    in_code,
    is_called,
    is_superseded,
    label,
    outermost,
)
from grader.protocol import SURVEY_CAPS
from grader.sandbox.survey import Construct, FunctionSurvey, Survey, SuspiciousName


def position(use: Construct) -> tuple[str, int, int]:
    """Return the sort key that orders uses by place in the source."""
    return use.place.module, use.place.line, use.place.column


def uses_by_function(survey: Survey, uses: Iterable[Construct]) -> Mapping[str, list[Construct]]:
    """Return the `uses` in each outermost function, including nested functions."""
    former = former_definitions(survey)
    found: dict[str, list[Construct]] = defaultdict(list)
    for use in uses:
        if not is_superseded(use.function, use.place, former):
            found[outermost(use.function)].append(use)
    return found


def helpers_of(survey: Survey, names: list[str], defined: Collection[str]) -> dict[str, bool]:
    """Return the helpers that `names` reach through calls, each with whether they call it directly.

    The nearest come first. Calls to `defined` functions are not followed.
    """
    calls = _calls(survey)
    excluded = {facts.name for facts in survey.functions if _is_defined(facts, defined)} | {*names}
    reached: dict[str, bool] = {}
    frontier, direct = names, True
    while frontier:  # breadth first, so that the nearest come first
        called = dict.fromkeys(callee for name in frontier for callee in calls[name])
        frontier = [name for name in called if name not in excluded and name not in reached]
        reached.update(dict.fromkeys(frontier, direct))
        direct = False
    return reached


def running(evidence: Evidence) -> Callable[[Construct], bool]:
    """Return a predicate: whether a use may run when the exercise is tried."""
    survey = evidence.survey
    # Names made at run time, or a truncated survey: any use may run.
    if survey.unnamed or survey.is_clipped:
        return lambda _: True
    pending = [name for names in survey.starts.values() for name in names]
    for facts in survey.functions:
        # For a method, the class that the exercise may ask for.
        class_name = facts.name.rpartition(".")[0]
        if _is_defined(facts, evidence.exercise) or class_name in evidence.exercise:
            pending.append(facts.name)
    calls, ran = _calls(survey), set(survey.starts)
    while pending:
        name = outermost(pending.pop())
        if name not in ran:
            ran.add(name)
            pending += calls[name]
    former = former_definitions(survey)

    def runs(use: Construct) -> bool:
        is_former = is_superseded(use.function, use.place, former)
        return outermost(use.function) in ran and use.doubt != "dead" and not is_former

    return runs


def _calls(survey: Survey) -> Mapping[str, list[str]]:
    """Return the calls of each outermost function, including nested functions."""
    former = former_definitions(survey)
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        if not is_superseded(facts.name, facts.place, former):
            calls[outermost(facts.name)] += map(outermost, facts.calls)
    return calls


def _is_defined(facts: FunctionSurvey, defined: Collection[str]) -> bool:
    return any(is_called(facts, name) for name in defined)


def words_of(uses: Iterable[Construct]) -> str:
    """Return the kinds of `uses`, as code."""
    return in_code((use.kind for use in uses), None)


def hits_of(uses: Iterable[Construct]) -> tuple[Hit, ...]:
    """Return the first places of `uses`."""
    hits = [Hit(place=use.place, what=use.kind) for use in sorted(uses, key=position)]
    return tuple(hits[:MAX_HITS])


# Code that may run during a probe: an over-approximation by names.
#
# It starts from names in the steps of the probe and from code run on import, and follows the names
# that functions read. If names are made at run time, everything may run.


def suspicions(evidence: Evidence, probe: Probe, words: Collection[str]) -> list[SuspiciousName]:
    """Return the suspicious names that may deceive `probe`, whose steps contain `words`.

    Code that never runs during the probe cannot deceive it.
    """
    survey = evidence.survey
    if not survey.suspicious:
        return []
    modules = _imported(survey, [evidence.parts.get(name, name) for name in probe.modules])
    running = _running(survey, modules, words)
    if running is None:
        return list(survey.suspicious)
    return [each for each in survey.suspicious if each.function in running]


def _imported(survey: Survey, modules: Iterable[str]) -> dict[str, None]:
    """Return `modules` and the submission's modules they import; all if an import is relative."""
    reached: dict[str, None] = {}
    pending = list(modules)
    while pending:
        module = pending.pop()
        reached[module] = None
        for each in survey.imports:
            if each.place.module == module:
                if each.name.startswith("."):
                    return dict.fromkeys(survey.starts)
                found = {each.name, each.name.partition(".")[0]} & survey.starts.keys()
                pending += (name for name in found if name not in reached)
    return reached


def _running(
    survey: Survey, modules: Iterable[str], words: Collection[str]
) -> Mapping[str, None] | None:
    """Return the functions and modules whose code may run; None if any may."""
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        calls[facts.name] += facts.calls
        # The list was truncated, so further calls are unknown.
        if len(facts.calls) >= SURVEY_CAPS.calls_of_a_function:
            return None
    if survey.is_clipped:
        return None
    running: dict[str, None] = dict.fromkeys(modules)
    pending = [name for module in running for name in survey.starts.get(module, ())]
    pending += (facts.name for facts in survey.functions if label(facts.name) in words)
    while pending:
        name = pending.pop()
        if name not in running:
            running[name] = None
            pending += calls[name]
    return None if any(name in running for name in survey.unnamed) else running
