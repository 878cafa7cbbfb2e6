"""Converts the student's page to data: one result for each case, group of hidden cases, and rule.

`check --json`, JUnit XML and the formats of platforms are made from these results, so none of them
shows more than the page: one result for the hidden cases of a group, and nothing about staff cases.
All text is already safe and short; each format only has to escape it for its own syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any, Final

from grader.judging.record import CaseResult, HiddenTally, Record, RuleResult
from grader.reporting.case_view import CaseView, case_view, spec_reference
from grader.reporting.formulas import with_plain_formulas
from grader.reporting.results import entry_json, results_json
from grader.reporting.rules_view import rule_view
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import RuleVerdict, Status, Verdict

SUBMISSION: Final = "submission"
HIDDEN: Final = "hidden"
RULES: Final = "rules"
_TITLE_CHARS: Final = 120
_PATH_CHARS: Final = 400
_RESULT_BY_TONE: Final = {
    Tone.GOOD: "passed",
    Tone.BAD: "failed",
    Tone.IDLE: "skipped",
    Tone.OUR_FAULT: "fault",
}
_RESULT_BY_RULE_VERDICT: Final = {
    RuleVerdict.PASSED: "passed",
    RuleVerdict.BROKEN: "failed",
    RuleVerdict.REVIEW: "skipped",  # nothing is decided yet
    RuleVerdict.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownResult:
    """The result of a case, of all hidden cases of a group, or of a rule, as shown to a student."""

    id: str
    """The id of the case or rule, or `hidden`, or `submission` if nothing could be run."""
    group: str
    """The id of the group, or `rules`, or "" for `submission`."""
    title: str
    result: str
    """`passed`, `failed`, `skipped` or `fault`."""
    verdict: str
    """The verdict of a case or rule, the status of a submission, or `hidden`."""
    points: float | None = None
    """The points earned, negative for the cost of a rule, or None if no points depend on it."""
    max_points: float | None = None
    headline: str = ""
    """The most important sentence, on one line."""
    code: str = ""
    explanation: tuple[str, ...] = ()
    expected: str | None = None
    got: str | None = None
    session: str | None = None
    """The steps and their output, up to the step that failed."""
    hint: str | None = None
    """The line or clause of the spec that the result is about."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None
    """The location in words, and the line of code at this location."""
    example: ShownResult | None = None
    """The result of a session outside the suite that shows a mistake in hidden cases."""

    def text(self, locale: Locale) -> str:
        """Return everything below the headline as one text: code, explanation, sides, and so on.

        Empty parts are omitted.
        """
        parts = [self.code, "\n".join(self.explanation)]
        sides = {"expected": self.expected, "got": self.got, "session": self.session}
        parts += [f"{locale(key)}:\n{text}" for key, text in sides.items() if text is not None]
        parts += [self.source or "", self.hint or ""]
        if self.example is not None:
            parts += [locale("counterexample"), self.example.text(locale)]
        return "\n\n".join(filter(None, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFormat:
    """A format in which another program reads results."""

    format_record: Callable[[Record, PurePath], str]
    """Returns the text for a record and the path of the files handed in."""
    default_path: str | None = None
    """The path that the program reads, `-` for standard output; None if users must give one."""
    is_mark: bool = False
    """Whether the program reads a mark from the text."""


def shown_results(record: Record) -> Iterator[ShownResult]:
    """Yield the results in `record` that the student is allowed to see.

    If nothing was graded, the result of the whole submission comes first. Groups follow in order,
    and then rules.
    """
    locale = Locale.for_record(record)
    if record.status is not Status.GRADED:
        yield _submission_result(record, locale)
    for group in visible_groups(record):
        for case in group.cases:
            view = case_view(in_shorter_session(case, record), record, locale)
            yield _case_result(case, view, group, locale)
        if group.hidden is not None:
            yield _hidden_result(group, group.hidden, record, locale)
    for rule in record.rules:
        yield _rule_result(rule, record, locale)


def shown_json(record: Record) -> str:
    """Return `record` as a `results.json` with one entry, plus the results shown to the student."""
    results = [_facts(result) for result in shown_results(record)]
    return b"".join(results_json([entry_json(record, shown=results)])).decode()


def _facts(result: ShownResult) -> dict[str, Any]:
    """Return `result` as plain data, omitting keys with empty values."""
    facts = asdict(result)
    if result.example is not None:
        facts["example"] = _facts(result.example)
    # Not tested by truth value, because a score of 0 is still a result.
    return {name: value for name, value in facts.items() if value not in (None, "", ())}


def in_shorter_session(case: CaseResult, record: Record) -> CaseResult:
    """Return `case`, in a shorter session that fails in the same way if `record` has one."""
    shortened = record.shortened
    # The shorter session itself is worth no points.
    return (
        case
        if shortened is None or shortened.id != case.id
        else replace(shortened, points=case.points)
    )


def path_in(handed_in: PurePath, file: str) -> str:
    """Return the path of `file`, which is in the folder `handed_in`, or is `handed_in` itself."""
    path = handed_in if handed_in.suffix in {".py", ".ipynb"} else handed_in / file
    return one_line(path.as_posix(), _PATH_CHARS)


def session_text(view: CaseView) -> str:
    """Return the session of `view` as text, as an interpreter would show it."""
    lines: list[str] = []
    for step in view.transcript:
        lines += [f"{prompt}{line}" for prompt, line in step.prompts]
        lines += step.output
    return "\n".join(lines)


def _submission_result(record: Record, locale: Locale) -> ShownResult:
    """Return the result of a submission that was not graded, with the reasons."""
    headline = locale(f"notice_{record.status.value}")
    return ShownResult(
        id=SUBMISSION,
        group="",
        title=headline,
        result="failed" if record.status is Status.UNGRADABLE else "fault",
        verdict=record.status.name,
        headline=headline,
        explanation=tuple(map(locale.sentence, record.remarks)),
    )


def _case_result(
    case: CaseResult, view: CaseView, group: VisibleGroup, locale: Locale
) -> ShownResult:
    """Return the result of a public `case`, whose `view` might show a shorter session."""
    cause = view.unnamed_cause
    sentences = (
        view.explanation if cause is None else (*view.explanation, f"{locale('cause')}\n{cause}")
    )
    file, line = (None, None) if view.place is None else (one_line(view.place[0]), view.place[1])
    is_failing = case.verdict is not Verdict.PASSED
    return ShownResult(
        id=one_line(case.id),
        group=one_line(group.id),
        title=_title(group, view.title or view.code),
        result=_RESULT_BY_TONE[tone_of(case.verdict)],
        verdict=case.verdict.value,
        points=round(case.points, 4),
        max_points=round(case.max_points, 4),
        headline=one_line(view.explanation[0]) if view.explanation else view.sign.word,
        code=view.code,
        explanation=sentences,
        expected=_safe_text(case.expected) if is_failing else None,
        got=_safe_text(case.got) if is_failing else None,
        session=session_text(view) or None,
        hint=None if view.spec is None else view.spec.text,
        file=file,
        line=line,
        source=None if view.source is None else f"{view.source}:\n{view.source_text}",
    )


def _title(group: VisibleGroup, name: str) -> str:
    title = one_line(group.title, _TITLE_CHARS)
    name = one_line(name, _TITLE_CHARS)
    return name if title in {"", name} else f"{title}: {name}"


def _safe_text(text: str | None) -> str | None:
    return None if text is None else safe_text(text)


def _hidden_result(
    group: VisibleGroup, tally: HiddenTally, record: Record, locale: Locale
) -> ShownResult:
    """Return the single result for all hidden cases of `group`, which `tally` counts."""
    sentence = locale.hidden(tally)
    example = group.counterexample
    view = None if example is None else case_view(example, record, locale)
    return ShownResult(
        id=HIDDEN,
        group=one_line(group.id),
        title=_title(group, sentence),
        result=_RESULT_BY_TONE[group.hidden_tone],
        verdict=HIDDEN,
        points=round(group.points - sum(case.points for case in group.cases), 4),
        max_points=round(group.max_points - sum(case.max_points for case in group.cases), 4),
        headline=sentence,
        explanation=(sentence,),
        hint=next(_clause_texts(group, record, locale), None),
        example=None
        if example is None or view is None
        else replace(_case_result(example, view, group, locale), points=None, max_points=None),
    )


def _clause_texts(group: VisibleGroup, record: Record, locale: Locale) -> Iterator[str]:
    """Yield the clauses of `group` to show to a student, each quoted or as a line of the spec."""
    for clause in group.clauses:
        spec_line = spec_reference(clause.line, record, locale)
        if clause.quote is not None:
            yield locale("clause_quoted", quote=with_plain_formulas(clause.quote))
        elif spec_line is not None:
            yield spec_line.text


def _rule_result(rule: RuleResult, record: Record, locale: Locale) -> ShownResult:
    """Return the result of `rule`."""
    view = rule_view(rule, record, locale)
    sentences = [*view.evidence, *filter(None, (view.note,))] or [view.sign.word]
    locations = [f"{hit.short}: {hit.code}" for hit in view.hits]
    hit = next(iter(rule.hits), None)
    return ShownResult(
        id=one_line(rule.id),
        group=RULES,
        title=one_line(view.demand, 300),
        result=_RESULT_BY_RULE_VERDICT[rule.verdict],
        verdict=rule.verdict.value,
        # Not `-rule.penalty`, which would be -0.0 in JSON for a rule that is kept.
        points=0.0 - rule.penalty if rule.costs else None,
        max_points=0.0 if rule.costs else None,
        headline=one_line(sentences[0], 300),
        explanation=(*sentences, *locations, *filter(None, (view.more,))),
        hint=None if view.spec is None else view.spec.text,
        file=None if hit is None else one_line(hit.file),
        line=None if hit is None else hit.line,
        column=None if hit is None else hit.column,
    )
