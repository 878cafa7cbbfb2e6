"""Rubric items for many students at once: who has them, and giving or withdrawing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.cli.mark_input import MarkInput
from grader.errors import UsageError
from grader.judging.deciding import Decision, Subject, in_force
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.rubric import RubricItem
from grader.plugins.desk.run_desk import RunDesk, blank_mark, item_mark
from grader.values.foreign_text import one_line
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemUse:
    """A rubric item of one exercise, and the students who have it."""

    exercise: str
    item: str
    """The id of the item."""
    now: RubricItem | None
    """The item as it is in the rubric now, or None if it has been removed."""
    has: tuple[QueueRow, ...]
    """The rows of students who have it."""
    outdated: tuple[QueueRow, ...]
    """The rows of students who have it with points or a text other than in the rubric."""
    lacking: tuple[QueueRow, ...]
    """The rows of students who do not have it, but could be given it."""


def item_uses(desk: RunDesk) -> Iterator[ItemUse]:
    """Yield the items of each exercise: those in the rubric, then others that students have."""
    decisions = desk.store.decisions.by_entry()
    for exercise in desk.exercises:
        items = {item.id: item for item in desk.items(exercise)}
        rows = [row for row in desk.rows if row.entry.exercise == exercise]
        given_to: dict[str, list[tuple[QueueRow, Decision]]] = {item: [] for item in items}
        for row in rows:
            for decision in in_force(decisions.get(row.entry.identity, ())):
                if decision.about is Subject.BONUS and decision.subject:
                    given_to.setdefault(decision.subject, []).append((row, decision))
        for item_id, holders in given_to.items():
            current, holder_ids = items.get(item_id), {row.entry.identity for row, _ in holders}
            yield ItemUse(
                exercise=exercise,
                item=item_id,
                now=current,
                has=tuple(row for row, _ in holders),
                outdated=tuple(
                    row for row, given in holders if current and _is_outdated(given, current)
                ),
                lacking=tuple(
                    row
                    for row in rows
                    if row.entry.identity not in holder_ids and _may_receive(row)
                ),
            )


def _is_outdated(decision: Decision, item: RubricItem) -> bool:
    """Return whether `decision` gave `item` with points or a text that have changed since."""
    return (decision.points, decision.because) != (item.points, item.text)


def _may_receive(row: QueueRow) -> bool:
    return row.overview.status is not Status.FAULT  # a fault has no points to add to


def change_item_for_all(desk: RunDesk, exercise: str, item: str, action: str) -> list[str]:
    """Give an item to all students of an exercise, or update or withdraw it for those who have it.

    `action` is `give`, `renew` or `take`; `item` is an id. Stores the decisions, which answer no
    request. Return the names of the students for whom a decision was stored. Raises `UsageError` if
    there are no such students, or if the item does not exist.
    """
    key = exercise, item
    use = next((use for use in item_uses(desk) if (use.exercise, use.item) == key), None)
    if use is None:
        raise UsageError(
            f"the item {one_line(item, 60)} of {one_line(exercise, 60)} no longer exists",
            help="load the page again",
        )
    marks = list(_marks(use, action))
    if not marks:
        raise UsageError(
            f"this changes nothing for any student of {one_line(exercise, 60)}",
            help="load the page again to see who has the item",
        )
    return desk.decide(marks, answers=False)


def _marks(use: ItemUse, action: str) -> Iterator[MarkInput]:
    """Yield a mark for each student affected by `action`; none if the action is unknown."""
    if action == "take":
        for row in use.has:
            yield replace(blank_mark(row, Subject.BONUS, use.item), undo=True)
    elif use.now is not None:
        for row in {"give": use.lacking, "renew": use.outdated}.get(action, ()):
            yield item_mark(row, use.now)
