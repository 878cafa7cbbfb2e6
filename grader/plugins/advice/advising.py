"""Makes a short list of advice, most useful first: mistakes, then structure, then habits.

Mistakes and habits come from linting, while structure comes from measures of the syntax: length,
nesting, parameters, copies, docstrings. The measures come from a process that has not run the
submission, and their format was validated, but the names in them are foreign text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, TypeAlias

from grader.intake.submission import SourceFile
from grader.judging.record import Advice, RuleHit
from grader.messages import Message, message
from grader.plugins.advice.linting import (
    CODES,
    HABITS,
    KEY_PREFIX,
    MISTAKES,
    Lesson,
    RuffFinding,
    line_of,
    lint,
)
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import FunctionSurvey, Survey
from grader.values.foreign_text import one_line

MAX_ITEMS: Final = 8
"""The largest number of items, since students fix only a few things at a time."""
MAX_PLACES: Final = 3
"""The largest number of locations or names shown per item."""
NAME_CHARS: Final = 40
"""Longer names are truncated."""
MAX_CODE_LINES: Final = 30
MAX_NESTING: Final = 4
MAX_PARAMETERS: Final = 6
_IN_BACKTICKS: Final = re.compile(r"`([^`]+)`")
_LOCAL_MARK: Final = ".<locals>."
_DEFINITION_LINE: Final = re.compile(r"\s*(?:async|class|def|from|import)\b")
"""A line that binds a name without an assignment. The exercise can dictate such names."""


def advice(sources: Mapping[str, SourceFile], survey: Survey | None) -> tuple[Advice, ...]:
    """Return advice on the student's own `sources`, keyed by module name, most useful first.

    `survey` has the facts about the syntax of `sources`, or is None if there are none. Its
    definitions are given code that the student has not changed, so they get no advice.
    """
    given_places = () if survey is None else [definition.place for definition in survey.definitions]
    findings = [
        finding
        for finding in lint(tuple(sources.values()), CODES)
        if not _is_given(finding, sources, given_places)
    ]
    all_advice = (
        *_lesson_advice(MISTAKES, findings),
        *(() if survey is None else _measured_advice(sources, survey)),
        *_lesson_advice(HABITS, findings),
    )
    return all_advice[:MAX_ITEMS]


def _is_given(
    finding: RuffFinding, sources: Mapping[str, SourceFile], given_places: Iterable[CodePlace]
) -> bool:
    """Return whether `finding` is in given code."""
    return any(
        sources[place.module].name == finding.file and place.line <= finding.line <= place.end_line
        for place in given_places
    )


def _lesson_advice(lessons: Iterable[Lesson], findings: Sequence[RuffFinding]) -> Iterator[Advice]:
    """Yield an item of advice for each of the `lessons` that some findings trigger."""
    for lesson in lessons:
        matching = [finding for finding in findings if _triggers(lesson, finding)]
        if matching:
            yield Advice(
                kind=lesson.kind,
                said=_sentence(lesson, matching),
                hits=_hits(lesson, matching),
                count=len(matching),
            )


def _triggers(lesson: Lesson, finding: RuffFinding) -> bool:
    """Return whether `finding` triggers `lesson`."""
    return (
        finding.code.startswith(lesson.codes)
        and not (lesson.quotes_names and _name(finding) is None)
        and not (lesson.only_assignments and _DEFINITION_LINE.match(finding.text))
    )


def _sentence(lesson: Lesson, matching: Sequence[RuffFinding]) -> Message:
    """Return the sentence of `lesson`, with names from the `matching` findings if it needs them."""
    if not lesson.quotes_names:
        return message(lesson.key)
    names = list(
        dict.fromkeys(name for finding in matching if (name := _name(finding)) is not None)
    )
    # Names are counted, not findings: an `x` that is wrong in two locations counts once.
    return message(lesson.key, names=format_names(names), count=len(names))


def _hits(lesson: Lesson, matching: Sequence[RuffFinding]) -> tuple[RuleHit, ...]:
    """Return the first `MAX_PLACES` locations of the `matching` findings, at most one per line."""
    hits: dict[tuple[str, int], RuleHit] = {}
    for finding in matching:
        name = _name(finding) if lesson.quotes_names else None
        hit = RuleHit(
            file=finding.file,
            line=finding.line,
            column=finding.column,
            text=finding.text,
            what=None if name is None else one_line(name, NAME_CHARS),
        )
        hits.setdefault((finding.file, finding.line), hit)
        if len(hits) == MAX_PLACES:
            break
    return tuple(hits.values())


def _name(finding: RuffFinding) -> str | None:
    """Return the name that `finding` is about: the first one in backticks in ruff's message."""
    quoted = _IN_BACKTICKS.search(finding.message)
    return None if quoted is None else quoted[1]


def format_names(names: Sequence[str]) -> str:
    """Return the first distinct `names`, which are foreign text, formatted as code."""
    distinct = list(dict.fromkeys(names))
    formatted = [_as_code(name) for name in distinct[:MAX_PLACES]]
    return ", ".join([*formatted, "…"] if len(distinct) > MAX_PLACES else formatted)


def _as_code(name: str) -> str:
    # A backtick would end the code span around the name.
    safe_name = one_line(name, NAME_CHARS).replace("`", "'")
    return f"`{safe_name}`"


def _measured_advice(sources: Mapping[str, SourceFile], survey: Survey) -> Iterator[Advice]:
    """Yield advice based on the measures of `survey`, most useful first."""
    given_places = [definition.place for definition in survey.definitions]
    functions = [
        function
        for function in survey.functions
        if function.place.module in sources
        and not any(map(function.place.lies_within, given_places))
    ]
    all_advice = (
        _repeated_advice(sources, survey),
        *(_exceeding_advice(sources, functions, *measure) for measure in _MEASURES),
        _docstring_advice(sources, functions),
    )
    yield from (item for item in all_advice if item.count)


def _repeated_advice(sources: Mapping[str, SourceFile], survey: Survey) -> Advice:
    """Return advice about copied code in the student's own modules, longest copies first.

    The advice has a count of 0 if there are no copies.
    """
    own_copies = [
        copy for copy in survey.repeated if {copy.first.module, copy.second.module} <= set(sources)
    ]
    own_copies.sort(key=lambda copy: -copy.statements)
    most_statements = max((copy.statements for copy in own_copies), default=0)
    return Advice(
        kind="repeated",
        said=message("advice.repeated", count=len(own_copies), most=most_statements),
        hits=_hits_at(
            sources, [place for copy in own_copies for place in (copy.first, copy.second)]
        ),
        count=len(own_copies),
    )


def _parameter_count(function: FunctionSurvey) -> int:
    """Return the number of parameters without `self` and `cls`."""
    return sum(parameter.name not in {"self", "cls"} for parameter in function.parameters)


_Measure: TypeAlias = Callable[[FunctionSurvey], int]
_MEASURES: Final[tuple[tuple[str, int, _Measure], ...]] = (
    ("advice.too_long", MAX_CODE_LINES, attrgetter("code_lines")),
    ("advice.too_nested", MAX_NESTING, attrgetter("nesting")),
    ("advice.too_many_parameters", MAX_PARAMETERS, _parameter_count),
)
"""For each measure: the key of its sentence, the largest acceptable value, and the function that
returns the value."""


def _exceeding_advice(
    sources: Mapping[str, SourceFile],
    functions: Sequence[FunctionSurvey],
    key: str,
    limit: int,
    measure: _Measure,
) -> Advice:
    """Return advice about the functions whose `measure` exceeds `limit`, largest first.

    `key` is the key of the sentence. The advice has a count of 0 if there are no such functions.
    """
    exceeding = [function for function in functions if measure(function) > limit]
    exceeding.sort(key=measure, reverse=True)
    largest = max(map(measure, exceeding), default=0)
    return _advice_on(sources, exceeding, key, most=largest, limit=limit)


def _docstring_advice(
    sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]
) -> Advice:
    """Return advice about the functions without docstrings, if other functions have one.

    The advice has a count of 0 if all functions have docstrings, or if none have.
    """
    candidates = [function for function in functions if _needs_docstring(function)]
    undocumented = [function for function in candidates if not function.has_docstring]
    # A student who writes no docstrings at all has probably not been asked to.
    if len(undocumented) == len(candidates):
        undocumented = []
    return _advice_on(sources, undocumented, "advice.no_docstring")


def _advice_on(
    sources: Mapping[str, SourceFile],
    functions: Sequence[FunctionSurvey],
    key: str,
    **measures: int,
) -> Advice:
    """Return advice about `functions`; its sentence has this `key` and contains `measures`."""
    names = format_names([_name_in_module(function) for function in functions])
    return Advice(
        kind=key.removeprefix(KEY_PREFIX),
        said=message(key, names=names, count=len(functions), **measures),
        hits=_hits_at(sources, [function.place for function in functions]),
        count=len(functions),
    )


def _hits_at(sources: Mapping[str, SourceFile], places: Sequence[CodePlace]) -> tuple[RuleHit, ...]:
    """Return the first `MAX_PLACES` distinct `places` as hits."""
    return tuple(
        RuleHit(
            file=sources[place.module].name,
            line=place.line,
            column=place.column,
            text=line_of(sources[place.module].text, place.line),
        )
        for place in list(dict.fromkeys(places))[:MAX_PLACES]
    )


def _name_in_module(function: FunctionSurvey) -> str:
    """Return the name of `function` without its module and enclosing functions."""
    qualified_name = function.name.removeprefix(f"{function.place.module}.")
    return qualified_name.rpartition(_LOCAL_MARK)[2]


def _needs_docstring(function: FunctionSurvey) -> bool:
    """Return whether `function` is neither local nor special, and so should have a docstring."""
    simple_name = function.name.rpartition(".")[2]
    return _LOCAL_MARK not in function.name and not simple_name.startswith("__")
