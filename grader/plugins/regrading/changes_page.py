"""The page about the marks that change between two runs, for staff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final, TypeAlias

from grader.plugins.regrading.changes import Change, ItemChange, difference
from grader.reporting.rendering import page
from grader.reporting.wording import Locale

_MAX_ITEMS: Final = 20
"""The largest number of cases and rules shown for one student and in the summary."""
_PASSED: Final = "PASSED"
_INCONCLUSIVE: Final = frozenset({None, "FAULT", "NOT_RUN"})
"""Verdicts that do not judge the submission: a change from or to them fixes or breaks nothing."""

_Table: TypeAlias = Mapping[str, object]
"""The template context for a table of figures."""
Marks: TypeAlias = Mapping[str, Sequence[float]]
"""The marks of a run, keyed by exercise."""


def changes_page(
    changes: Sequence[Change], total: int, language: str, marks: tuple[Marks, Marks]
) -> str:
    """Return the page about the `changes` between two runs that share `total` submissions.

    The `marks` of both runs are shown side by side.
    """
    locale = Locale.for_language(language)
    changed = sum(change.changes_mark for change in changes)
    return page(
        "changes.html",
        locale,
        headline=(
            locale("changes_count", count=changed, total=total)
            if changed
            else locale("changes_none")
        ),
        tables=[
            table
            for table in (_runs_table(marks, locale), _most_frequent_table(changes, locale))
            if table["rows"]
        ],
        flagged=sum(change.is_unexpected for change in changes),
        rows=[_row_context(change, locale) for change in changes],
    )


def _runs_table(runs: tuple[Marks, Marks], locale: Locale) -> _Table:
    """Return the table with the number of marks and the average per exercise, in both runs."""
    run_labels = (locale("changes_old"), locale("changes_new"))
    figure_labels = (locale("changes_submissions"), locale("changes_average"))
    rows = []
    for exercise in dict.fromkeys([*runs[0], *runs[1]]):
        marks = [run.get(exercise, ()) for run in runs]
        averages = [
            locale.number(fmean(exercise_marks)) if exercise_marks else ""
            for exercise_marks in marks
        ]
        rows.append((exercise, [*map(len, marks), *averages]))
    figure_heads = [
        f"{figure}: {run_label}" for figure in figure_labels for run_label in run_labels
    ]
    return {
        "title": locale("changes_runs"),
        "heads": [locale("index_exercises"), *figure_heads],
        "rows": rows,
    }


def _most_frequent_table(changes: Sequence[Change], locale: Locale) -> _Table:
    """Return the table of groups and rules that were fixed or broken for the most students."""
    mended, broken = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for change in changes:
        items = [
            item
            for item in change.items
            if not _INCONCLUSIVE & {item.old_verdict, item.new_verdict}
        ]
        # A group counts once for a student, however many of its cases changed.
        fixed_parts = {
            _part(item) for item in items if item.new_verdict == _PASSED != item.old_verdict
        }
        broken_parts = {
            _part(item) for item in items if item.old_verdict == _PASSED != item.new_verdict
        }
        mended.update((change.exercise, part) for part in fixed_parts)
        broken.update((change.exercise, part) for part in broken_parts)
    most_frequent = (mended + broken).most_common(_MAX_ITEMS)
    return {
        "title": locale("changes_most"),
        "heads": [locale("class_item"), locale("changes_mended"), locale("changes_broke")],
        "rows": [(" ".join(key), [mended[key], broken[key]]) for key, _ in most_frequent],
    }


def _part(item: ItemChange) -> str:
    """Return the group id of a case, or the id of a rule."""
    return item.id if item.is_rule else item.id.partition("/")[0]


def _row_context(change: Change, locale: Locale) -> dict[str, object]:
    """Return the template context for the change of one student."""
    change_in_points = difference(change)
    return {
        "student": change.student,
        "old": _mark_text(change.old_score, change.old_max, locale) or locale("changes_added"),
        "new": _mark_text(change.new_score, change.new_max, locale) or locale("changes_gone"),
        "by": "" if change_in_points is None else _signed_text(change_in_points, locale),
        "why": _reason(change, locale),
        "flagged": change.is_unexpected,
        "outcomes": [_item_context(item, locale) for item in change.items[:_MAX_ITEMS]],
        "more": max(0, len(change.items) - _MAX_ITEMS),
    }


def _reason(change: Change, locale: Locale) -> str:
    """Return the causes of a change as text, or "" for one that needs no explanation."""
    if change.causes:
        return ", ".join(locale(f"changes_{cause.value}") for cause in change.causes)
    return locale("changes_nothing") if change.is_unexpected else ""


def _mark_text(score: float | None, maximum: float | None, locale: Locale) -> str:
    """Return a mark as text, or an empty string if it is missing."""
    if score is None or maximum is None:
        return ""
    return f"{locale.number(score)} / {locale.number(maximum)}"


def _item_context(item: ItemChange, locale: Locale) -> dict[str, str]:
    """Return the template context for the change of one case or rule."""
    change_in_points = item.new_points - item.old_points
    return {
        "id": item.id,
        "old": _verdict_text(item, item.old_verdict, locale),
        "new": _verdict_text(item, item.new_verdict, locale),
        "by": _signed_text(change_in_points, locale) if change_in_points else "",
    }


def _verdict_text(item: ItemChange, verdict: str | None, locale: Locale) -> str:
    """Return the name of a verdict, or of its absence, in the language of the page."""
    if verdict is None:
        return locale("changes_absent")
    return locale(f"{'rule' if item.is_rule else 'verdict'}_{verdict}")


def _signed_text(value: float, locale: Locale) -> str:
    """Return `value` as text with its sign."""
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else "±"
    return f"{sign}{locale.number(abs(value))}"
