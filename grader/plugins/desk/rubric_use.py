"""Rubric items for many students at once: give, update or take back, and see who has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.cli.mark_input import MarkInput
from grader.errors import UsageError
from grader.judging.deciding import Decision, Subject, in_force
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.rubric import RubricItem
from grader.plugins.desk.run_desk import RunDesk, blank_mark, item_mark
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemUse:
    """A rubric item of one exercise, and which students have it."""

    exercise: str
    item: str
    """The id of the item."""
    now: RubricItem | None
    """The item as it is in the rubric now, or None if it has been removed."""
    has: tuple[QueueRow, ...]
    """Students who have it."""
    outdated: tuple[QueueRow, ...]
    """Students who have it with points or a text that differ from the rubric."""
    lacking: tuple[QueueRow, ...]
    """Students who could be given it."""


def item_uses(desk: RunDesk) -> Iterator[ItemUse]:
    """Yield the items of each exercise: those in the rubric, then other items of students."""
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
            now, has = items.get(item_id), {row.entry.identity for row, _ in holders}
            yield ItemUse(
                exercise=exercise,
                item=item_id,
                now=now,
                has=tuple(row for row, _ in holders),
                outdated=tuple(row for row, given in holders if now and _is_outdated(given, now)),
                lacking=tuple(
                    row for row in rows if row.entry.identity not in has and _may_receive(row)
                ),
            )


def _is_outdated(decision: Decision, item: RubricItem) -> bool:
    """Return whether `decision` gave `item` with points or a text that it no longer has."""
    return (decision.points, decision.because) != (item.points, item.text)


def _may_receive(row: QueueRow) -> bool:
    return row.overview.status is not Status.FAULT  # its points are not known


def use_item(desk: RunDesk, exercise: str, item: str, action: str) -> list[str]:
    """Give an item to all students of an exercise, update it for its holders, or take it back.

    `action` is `give`, `renew` or `take`. Return the names of the students for whom a decision was
    stored. Raises `UsageError` if there are none, or if there is no such item.
    """
    key = exercise, item
    use = next((use for use in item_uses(desk) if (use.exercise, use.item) == key), None)
    if use is None:
        raise UsageError("the rubric does not have this item any more", help="load the page again")
    marks = list(_marks(use, action))
    if not marks:
        raise UsageError("this changes nothing for any student")
    return desk.decide(marks, answers=False)


def _marks(use: ItemUse, action: str) -> Iterator[MarkInput]:
    """Yield a mark for each student whom `action` concerns."""
    if action == "take":
        for row in use.has:
            yield replace(blank_mark(row, Subject.BONUS, use.item), undo=True)
    elif use.now is not None:
        for row in {"give": use.lacking, "renew": use.outdated}.get(action, ()):
            yield item_mark(row, use.now)
