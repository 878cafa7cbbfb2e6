"""Makes a short list of advice, most useful first: mistakes, then structure, then habits.

Mistakes and habits come from linting, structure from measures of the syntax: length, nesting,
parameters, copies, docstrings. These come from a process that has not run the submission, and their
shape has been checked, but the names in them are foreign text.
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
    KEYS,
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
"""Students fix only a few things at a time."""
MAX_PLACES: Final = 3
"""Places shown per item."""
NAME_CHARS: Final = 40
MAX_CODE_LINES: Final = 30
MAX_NESTING: Final = 4
MAX_PARAMETERS: Final = 6
_QUOTED: Final = re.compile(r"`([^`]+)`")
_LOCAL: Final = ".<locals>."
_HEADING: Final = re.compile(r"\s*(?:async|class|def|from|import)\b")


def advice(sources: Mapping[str, SourceFile], survey: Survey | None) -> tuple[Advice, ...]:
    """Return advice on the student's own `sources`, by module name, most useful first.

    `survey` has the facts of their syntax, if available. Its definitions are given code that the
    student has not changed, and get no advice.
    """
    given = () if survey is None else [each.place for each in survey.definitions]
    findings = [
        each for each in lint(tuple(sources.values()), CODES) if not _is_given(each, sources, given)
    ]
    all_advice = (
        *_items(MISTAKES, findings),
        *(() if survey is None else _measured(sources, survey)),
        *_items(HABITS, findings),
    )
    return all_advice[:MAX_ITEMS]


def _is_given(
    finding: RuffFinding, sources: Mapping[str, SourceFile], given: Iterable[CodePlace]
) -> bool:
    return any(
        sources[place.module].name == finding.file and place.line <= finding.line <= place.end_line
        for place in given
    )


def _items(lessons: Iterable[Lesson], findings: Sequence[RuffFinding]) -> Iterator[Advice]:
    for lesson in lessons:
        matching = [each for each in findings if _triggers(lesson, each)]
        if matching:
            yield Advice(
                kind=lesson.kind,
                said=_sentence(lesson, matching),
                hits=_hits(lesson, matching),
                count=len(matching),
            )


def _triggers(lesson: Lesson, finding: RuffFinding) -> bool:
    return (
        finding.code.startswith(lesson.codes)
        and not (lesson.names and _name(finding) is None)
        and not (lesson.assigned and _HEADING.match(finding.text))
    )


def _sentence(lesson: Lesson, matching: Sequence[RuffFinding]) -> Message:
    if not lesson.names:
        return message(lesson.key)
    names = list(dict.fromkeys(name for each in matching if (name := _name(each)) is not None))
    # The number of names, not of places: `x` that is wrong in two places is one `x`.
    return message(lesson.key, names=listed(names), count=len(names))


def _hits(lesson: Lesson, matching: Sequence[RuffFinding]) -> tuple[RuleHit, ...]:
    """Return the first `MAX_PLACES` places, each line once."""
    hits: dict[tuple[str, int], RuleHit] = {}
    for each in matching:
        name = _name(each) if lesson.names else None
        hit = RuleHit(
            file=each.file,
            line=each.line,
            column=each.column,
            text=each.text,
            what=None if name is None else one_line(name, NAME_CHARS),
        )
        hits.setdefault((each.file, each.line), hit)
        if len(hits) == MAX_PLACES:
            break
    return tuple(hits.values())


def _name(finding: RuffFinding) -> str | None:
    """Return the name that `finding` is about: the first in backticks in ruff's message."""
    quoted = _QUOTED.search(finding.message)
    return None if quoted is None else quoted[1]


def listed(names: Sequence[str]) -> str:
    """Return the first distinct `names`, which are foreign text, as code for a sentence."""
    distinct = list(dict.fromkeys(names))
    shown = [_as_code(name) for name in distinct[:MAX_PLACES]]
    return ", ".join([*shown, "…"] if len(distinct) > MAX_PLACES else shown)


def _as_code(name: str) -> str:
    shown = one_line(name, NAME_CHARS).replace("`", "'")
    return f"`{shown}`"


def _measured(sources: Mapping[str, SourceFile], survey: Survey) -> Iterator[Advice]:
    """Yield advice from the measures of `survey`, the most useful first."""
    given = [each.place for each in survey.definitions]
    functions = [
        each
        for each in survey.functions
        if each.place.module in sources and not any(map(each.place.within, given))
    ]
    all_advice = (
        _repeated(sources, survey),
        *(_exceeding(sources, functions, *each) for each in _MEASURES),
        _without_docstring(sources, functions),
    )
    yield from (item for item in all_advice if item.count)


def _repeated(sources: Mapping[str, SourceFile], survey: Survey) -> Advice:
    own_copies = [
        each for each in survey.repeated if {each.first.module, each.second.module} <= set(sources)
    ]
    own_copies.sort(key=lambda each: -each.statements)
    most = max((each.statements for each in own_copies), default=0)
    return Advice(
        kind="repeated",
        said=message("advice.repeated", count=len(own_copies), most=most),
        hits=_places(
            sources, [place for each in own_copies for place in (each.first, each.second)]
        ),
        count=len(own_copies),
    )


def _parameters(function: FunctionSurvey) -> int:
    """Return the number of parameters, without `self` and `cls`."""
    return sum(parameter.name not in {"self", "cls"} for parameter in function.parameters)


_Measure: TypeAlias = Callable[[FunctionSurvey], int]
_MEASURES: Final[tuple[tuple[str, int, _Measure], ...]] = (
    ("advice.too_long", MAX_CODE_LINES, attrgetter("code_lines")),
    ("advice.too_nested", MAX_NESTING, attrgetter("nesting")),
    ("advice.too_many_parameters", MAX_PARAMETERS, _parameters),
)
"""For each measure: the key of its sentence, the largest good value, and the function."""


def _exceeding(
    sources: Mapping[str, SourceFile],
    functions: Sequence[FunctionSurvey],
    key: str,
    limit: int,
    measure: _Measure,
) -> Advice:
    matching = [each for each in functions if measure(each) > limit]
    matching.sort(key=measure, reverse=True)
    most = max(map(measure, matching), default=0)
    return _advice_on(sources, matching, key, most=most, limit=limit)


def _without_docstring(
    sources: Mapping[str, SourceFile], functions: Sequence[FunctionSurvey]
) -> Advice:
    """Return advice to be consistent; none if no function has a docstring, or all have."""
    candidates = [each for each in functions if _wants_docstring(each)]
    matching = [each for each in candidates if not each.has_docstring]
    if len(matching) == len(candidates):
        matching = []
    return _advice_on(sources, matching, "advice.no_docstring")


def _advice_on(
    sources: Mapping[str, SourceFile],
    functions: Sequence[FunctionSurvey],
    key: str,
    **measures: int,
) -> Advice:
    names = listed([_name_in_module(each) for each in functions])
    return Advice(
        kind=key.removeprefix(KEYS),
        said=message(key, names=names, count=len(functions), **measures),
        hits=_places(sources, [each.place for each in functions]),
        count=len(functions),
    )


def _places(sources: Mapping[str, SourceFile], places: Sequence[CodePlace]) -> tuple[RuleHit, ...]:
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
    """Return the name of `function` without its module."""
    inside = function.name.removeprefix(f"{function.place.module}.")
    return inside.rpartition(_LOCAL)[2]


def _wants_docstring(function: FunctionSurvey) -> bool:
    """Return whether `function` needs a docstring: not if it is local or special."""
    last = function.name.rpartition(".")[2]
    return _LOCAL not in function.name and not last.startswith("__")
