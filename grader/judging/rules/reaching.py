"""What of a submission may run while a probe lasts: by names, and rather too much than too little.

From what the steps of the probe call, and what runs when the modules are imported, the names that
functions read lead to all others. Where names are made at run time, everything may run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from grader.judging.probing import Probe
from grader.judging.rules.rule import Evidence, label
from grader.protocol import SURVEY_CAPS
from grader.sandbox.survey import Survey, Suspicion


def suspicions(evidence: Evidence, probe: Probe, words: Collection[str]) -> list[Suspicion]:
    """Return what can lie to `probe`, whose steps say these `words`.

    What never runs while the probe lasts cannot lie to it.
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
    """Return `modules` and what they import of the submission's own; all that cannot be told."""
    reached: dict[str, None] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        reached[module] = None
        for each in survey.imports:
            if each.place.module == module:
                if each.name.startswith("."):
                    return dict.fromkeys(survey.starts)
                found = {each.name, each.name.partition(".")[0]} & survey.starts.keys()
                waiting += (name for name in found if name not in reached)
    return reached


def _running(
    survey: Survey, modules: Iterable[str], words: Collection[str]
) -> Mapping[str, None] | None:
    """Return the functions and modules of which something may run; None where all may."""
    calls: dict[str, list[str]] = defaultdict(list)
    for facts in survey.functions:
        calls[facts.name] += facts.calls
        if len(facts.calls) >= SURVEY_CAPS.calls_of_a_function:
            return None
    if survey.is_clipped:
        return None
    running: dict[str, None] = dict.fromkeys(modules)
    waiting = [name for module in running for name in survey.starts.get(module, ())]
    waiting += (facts.name for facts in survey.functions if label(facts.name) in words)
    while waiting:
        name = waiting.pop()
        if name not in running:
            running[name] = None
            waiting += calls[name]
    return None if any(name in running for name in survey.unnamed) else running
