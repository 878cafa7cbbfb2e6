"""The page on whose mark changes between two runs, for staff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.reporting.changes import Change, ItemChange, difference
from grader.reporting.rendering import page
from grader.reporting.wording import Locale

_MAX_ITEMS: Final = 20
"""Cases and rules that are shown of one student."""


def changes_page(found: Sequence[Change], total: int, language: str) -> str:
    """Return the page on the changes that were `found` in a run of `total` submissions."""
    locale = Locale.of(language)
    count = sum(each.is_of_mark for each in found)
    return page(
        "changes.html",
        locale,
        headline=(
            locale("changes_count", count=count, total=total) if count else locale("changes_none")
        ),
        flagged=sum(each.is_unexpected for each in found),
        rows=[_row(each, locale) for each in found],
    )


def _row(change: Change, locale: Locale) -> dict[str, object]:
    by = difference(change)
    return {
        "student": change.student,
        "old": _mark(change.old_score, change.old_max, locale) or locale("changes_added"),
        "new": _mark(change.new_score, change.new_max, locale) or locale("changes_gone"),
        "by": "" if by is None else _signed(by, locale),
        "why": _why(change, locale),
        "flagged": change.is_unexpected,
        "outcomes": [_item(each, locale) for each in change.items[:_MAX_ITEMS]],
        "more": max(0, len(change.items) - _MAX_ITEMS),
    }


def _why(change: Change, locale: Locale) -> str:
    if change.causes:
        return ", ".join(locale(f"changes_{cause.value}") for cause in change.causes)
    return locale("changes_nothing") if change.is_unexpected else ""


def _mark(score: float | None, most: float | None, locale: Locale) -> str:
    """Return a mark, "" where there is none."""
    if score is None or most is None:
        return ""
    return f"{locale.number(score)} / {locale.number(most)}"


def _item(item: ItemChange, locale: Locale) -> dict[str, str]:
    by = item.new_points - item.old_points
    return {
        "id": item.id,
        "old": _verdict(item, item.old_verdict, locale),
        "new": _verdict(item, item.new_verdict, locale),
        "by": _signed(by, locale) if by else "",
    }


def _verdict(item: ItemChange, verdict: str | None, locale: Locale) -> str:
    if verdict is None:
        return locale("changes_absent")
    return locale(f"{'rule' if item.is_rule else 'verdict'}_{verdict}")


def _signed(value: float, locale: Locale) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else "±"
    return f"{sign}{locale.number(abs(value))}"
