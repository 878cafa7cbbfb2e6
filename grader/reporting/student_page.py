"""Makes the page for a student: the result, what to mend first, and then everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from grader.judging.record import CaseResult, Record, SourceText
from grader.messages import Message, Parameter, message
from grader.reporting.asking import ask_address
from grader.reporting.code_view import MAX_REST_BYTES, listing
from grader.reporting.decisions_view import decisions_view
from grader.reporting.mending import first_to_mend
from grader.reporting.parts_view import parts_view
from grader.reporting.rendering import page, render_translation, shared_file_paths
from grader.reporting.rules_view import (
    AdviceView,
    RulesView,
    advice_left_out,
    advice_views,
    rules_effect,
    rules_view,
)
from grader.reporting.visibility import VisibleGroup, score_breakdown, visible_groups
from grader.reporting.wording import (
    STATUS_TONES,
    Fact,
    Locale,
    Tone,
    conditions,
    is_full,
    score_share,
    score_text,
    tone_of,
)
from grader.seams import EXTRAS
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import RuleVerdict, Status

# If a submission cannot be run, the page shows why, the lines around the error, and what to do.


_CONTEXT_LINES: Final = 2
"""Lines of code shown before and after the error."""
_LINE_CHARS: Final = 120
_LEAD_CHARS: Final = 60
"""The maximum number of characters before the column of the error, so that it stays visible."""
_SHORT_REASONS: Final = {"ungradable.syntax": "stop.syntax", "loading.error": "stop.error"}
"""Messages that omit the line of code, for reasons with a line that the page shows anyway."""
_FILE_REASONS: Final = ("empty", "no_python", "no_python_only", "no_modules", "which_file")
_TO_DO: Final = {
    "ungradable.syntax": "stop.do_syntax",
    "ungradable.python2": "stop.do_python2",
    "ungradable.source": "stop.do_load",
    "loading.error": "stop.do_load",
    "loading.helper": "stop.do_load",
    **dict.fromkeys([f"ungradable.{name}" for name in _FILE_REASONS], "stop.do_file"),
}
"""What to do, for reasons whose messages do not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _CodeLine:
    """A line of code near the one where Python stopped."""

    number: str
    text: str
    caret: str | None
    """The mark below the line in question, "" if no column is known; None for other lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _RemarkView:
    """A reason why nothing could be run."""

    said: str
    lines: tuple[_CodeLine, ...]
    to_do: str | None


def stop_views(record: Record, locale: Locale) -> Iterator[_RemarkView]:
    """Yield the view of each remark on `record`, which could not be run."""
    for remark in record.remarks:
        parameters = dict(remark.parameters)
        lines = tuple(_lines_around(parameters, record.sources))
        to_do = _TO_DO.get(remark.key)
        yield _RemarkView(
            said=_reason_text(remark, locale) if lines else locale.sentence(remark),
            lines=lines,
            to_do=None if to_do is None else locale.sentence(message(to_do)),
        )


def _reason_text(remark: Message, locale: Locale) -> str:
    key = _SHORT_REASONS.get(remark.key)
    return locale.sentence(remark if key is None else replace(remark, key=key))


def _lines_around(
    parameters: dict[str, Parameter], sources: Iterable[SourceText]
) -> Iterator[_CodeLine]:
    """Yield the lines of code around the line that `parameters` name.

    Yields nothing if `sources` do not contain that line.
    """
    number = int(parameters.get("line", 0))
    file = next(
        (source for source in sources if one_line(source.name) == parameters.get("file")), None
    )
    lines = [] if file is None else file.text.split("\n")
    if not 0 < number <= len(lines):
        return
    column = int(parameters.get("column", 0))
    first = max(1, number - _CONTEXT_LINES)
    context = lines[first - 1 : number + _CONTEXT_LINES]
    margin = min((_indent(line) for line in context if line.strip()), default=0)
    for line_number, line in enumerate(context, start=first):
        if line_number == number:
            text, caret = _line_and_caret(line, margin, column)
            yield _CodeLine(number=str(line_number), text=text, caret=caret)
        else:
            text = safe_text(line[margin:], _LINE_CHARS)
            yield _CodeLine(number=str(line_number), text=text, caret=None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _line_and_caret(line: str, margin: int, column: int) -> tuple[str, str]:
    """Return `line` from `margin` on, or from closer to `column` if it is long, and its caret.

    The caret is the text to show below the line, or "" if its position is unknown.
    """
    start = max(margin, column - 1 - _LEAD_CHARS) if column <= len(line) + 1 else margin
    ellipsis = "…" if start > margin else ""
    text, text_before = line[start:], line[start : max(0, column - 1)]
    # The width of a tab depends on the browser, so there is no caret after one.
    is_known = 0 < column <= len(line) + 1 and "\t" not in text_before
    caret = " " * len(ellipsis + safe_text(text_before, _LINE_CHARS)) + "^" if is_known else ""
    return ellipsis + safe_text(text, _LINE_CHARS), caret


_FAILED_TONES: Final = frozenset({Tone.BAD, Tone.IDLE})


def student_page(record: Record, *, shares: bool = False) -> str:
    """Return the page about `record` in its language, with translations to its other languages.

    It is self-contained, unless it `shares` its style sheet and script with other pages.
    """
    shared = shared_file_paths() if shares else None
    contexts = [page_context(variant) for variant in (record, *_translations(record))]
    others = [
        render_translation("student.html", locale, shared=shared, **context)
        for locale, context in contexts[1:]
    ]
    locale, context = contexts[0]
    return page("student.html", locale, shared=shared, others=others, **context)


def _translations(record: Record) -> Iterator[Record]:
    """Yield `record` in each of its other languages, without the course's own sentences."""
    # A course has its own sentences only in the language of the suite.
    yield from (replace(record, language=language, wording=()) for language in record.also_in)


def page_context(
    record: Record,
    select_groups: Callable[[Record], tuple[VisibleGroup, ...]] = visible_groups,
    rest_bytes: int | None = None,
) -> tuple[Locale, dict[str, object]]:
    """Return the locale of `record`, and the template variables for its page.

    `select_groups` returns the parts of the record's groups to show. `rest_bytes` limits the code
    without remarks; by default such code is left out if there is nothing to mend.
    """
    locale = Locale.for_record(record)
    is_stopped = record.status is Status.UNGRADABLE
    groups = () if is_stopped else select_groups(record)
    first = first_to_mend(record, groups) if record.status is Status.GRADED else None
    share = score_share(record)
    if rest_bytes is None:
        rest_bytes = 0 if _is_all_right(record, groups) else MAX_REST_BYTES
    code = listing(groups, record, locale, rest_bytes)
    parts = parts_view(groups, record, locale, code.lines, first)
    rules, advice = rules_view(record, locale), advice_views(record, locale)
    return locale, {
        "title": one_line(record.title),
        "student": one_line(record.student),
        "status": record.status,
        "status_tone": STATUS_TONES[record.status],
        "score": score_text(record, locale),
        "percent": None if share is None else round(100 * share, 2),
        "sentence": " ".join(result_sentences(record, groups, locale)),
        "made_of": score_breakdown(record, groups, locale)
        if record.status is Status.GRADED
        else None,
        "stops": list(stop_views(record, locale)) if is_stopped else [],
        "remarks": [] if is_stopped else [locale.sentence(remark) for remark in record.remarks],
        "decisions": decisions_view(record, locale, code.lines),
        "first": parts.first,
        "ask": ask_address(record),
        "try_it": _try_it(record, first.case if first else None),
        "rows": parts.rows,
        "more_rows": parts.more_rows,
        "parts": parts.markup,
        "listing": code,
        "anchors": parts.anchors.union(_anchors(rules, advice)),
        "rules": rules,
        "advice": advice,
        "advice_more": advice_left_out(record, locale),
        "facts": _facts(record, locale),
    }


def _try_it(record: Record, case: CaseResult | None) -> str | None:
    """Return the address where the student can try her code on `case`, or None if there is none."""
    # Only the plug-in that makes the site knows its addresses, and it might not be installed.
    address = EXTRAS.find("site") if record.site_url else None
    return address and address(record, case)


def _anchors(rules: RulesView | None, advice: tuple[AdviceView, ...]) -> Iterator[str]:
    """Yield the anchors of rules and advice on the page, to which remarks on the code can link."""
    if rules is not None:
        yield from (rule.anchor for rule in rules.pressing)
    yield from (item.anchor for item in advice)


def _facts(record: Record, locale: Locale) -> tuple[Fact, ...]:
    identity = (locale("how_submission"), (one_line(record.id),))
    return (identity, *conditions(record, locale))


def result_sentences(
    record: Record, groups: tuple[VisibleGroup, ...], locale: Locale
) -> Iterator[str]:
    """Yield the page's sentences about the result as a whole.

    Yields nothing if the submission was not graded.
    """
    if record.status is Status.GRADED:
        yield _cases_sentence(record, groups, locale)
        yield from rules_effect(record, locale)


def _cases_sentence(record: Record, groups: tuple[VisibleGroup, ...], locale: Locale) -> str:
    """Return the sentence about how many cases are right, and which kind of cases are wrong.

    If only hidden cases failed, a second sentence says so.
    """
    count = sum(group.demands for group in groups)
    passed = sum(group.met for group in groups)
    if passed < count:
        failing = [group for group in groups if group.met < group.demands]
        if is_full(record) and not any(group.max_points for group in failing):
            return locale("result_optional", count=count - passed)
        sentence = _partly_right(groups, locale)
        cases = chain.from_iterable(group.cases for group in groups)
        any_visible_failed = any(tone_of(case.verdict) in _FAILED_TONES for case in cases)
        if any_visible_failed or not _any_hidden_failed(groups):
            return sentence
        has_counterexample = any(group.counterexample is not None for group in groups)
        why = (
            locale("result_counterexamples") if has_counterexample else locale("result_hidden_only")
        )
        return f"{sentence} {why}"
    if not is_full(record):
        return locale("result_all_visible", count=count)
    # "Well done!" would contradict what the page says about a rule that is not kept.
    not_kept = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    if any(rule.verdict in not_kept for rule in record.rules):
        return locale("result_all_cases", count=count)
    return locale("result_all", count=count)


def _partly_right(groups: tuple[VisibleGroup, ...], locale: Locale) -> str:
    """Return in words how much of `groups` is right, as if they were a single group."""
    public = sum(group.public for group in groups)
    public_met = sum(group.public_met for group in groups)
    tallies = [group.hidden for group in groups if group.hidden is not None]
    if not tallies:
        return locale("result_some", passed=public_met, count=public)
    demands, met = sum(tally.demands for tally in tallies), sum(tally.met for tally in tallies)
    if not public:
        return locale("hidden", met=locale.number(met), count=demands)
    return locale(
        "result_some_hidden",
        passed=public_met,
        public=public,
        met=locale.number(met),
        demands=demands,
    )


def _is_all_right(record: Record, groups: tuple[VisibleGroup, ...]) -> bool:
    """Return whether there is nothing to mend, so that the page needs no code."""
    earns_all = record.status is Status.GRADED and is_full(record)
    return earns_all and all(group.tone is Tone.GOOD for group in groups)


def _any_hidden_failed(groups: tuple[VisibleGroup, ...]) -> bool:
    return any(group.hidden_tone is not Tone.GOOD for group in groups)
