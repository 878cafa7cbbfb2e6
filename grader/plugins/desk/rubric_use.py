"""Items of the rubric for many students at once: give, renew or take back, and see who has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.cli.mark_input import AskedMark
from grader.errors import UsageError
from grader.judging.deciding import Decision, Subject, in_force
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.rubric import RubricItem
from grader.plugins.desk.run_desk import RunDesk, asked, given
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemUse:
    """An item in one exercise, and which students have it."""

    exercise: str
    item: str
    """Its id."""
    now: RubricItem | None
    """The item in the rubric, None if it has been removed."""
    has: tuple[QueueRow, ...]
    """Students who have it."""
    outdated: tuple[QueueRow, ...]
    """Students who have it with points or a text other than in the rubric."""
    lacking: tuple[QueueRow, ...]
    """Students who could be given it."""


def item_uses(desk: RunDesk) -> Iterator[ItemUse]:
    """Yield the items of each exercise: those in the rubric, then others that students have."""
    decisions = desk.store.decisions.by_entry()
    for exercise in desk.exercises:
        items = {each.id: each for each in desk.items(exercise)}
        rows = [row for row in desk.rows if row.entry.exercise == exercise]
        given_to: dict[str, list[tuple[QueueRow, Decision]]] = {item: [] for item in items}
        for row in rows:
            for each in in_force(decisions.get(row.entry.name, ())):
                if each.about is Subject.BONUS and each.subject:
                    given_to.setdefault(each.subject, []).append((row, each))
        for item, holders in given_to.items():
            now, has = items.get(item), {row.entry.name for row, _ in holders}
            yield ItemUse(
                exercise=exercise,
                item=item,
                now=now,
                has=tuple(row for row, _ in holders),
                outdated=tuple(row for row, each in holders if now and _differs(each, now)),
                lacking=tuple(row for row in rows if row.entry.name not in has and _can_have(row)),
            )


def _differs(decision: Decision, item: RubricItem) -> bool:
    return (decision.points, decision.because) != (item.points, item.text)


def _can_have(row: QueueRow) -> bool:
    return row.overview.status is not Status.FAULT  # nobody knows its points


def use_item(desk: RunDesk, exercise: str, item: str, action: str) -> list[str]:
    """Give an item to all students of an exercise, `renew` it for its holders, or take it back.

    Returns the students for whom something was stored; raises `UsageError` if there are none.
    """
    use = next((e for e in item_uses(desk) if (e.exercise, e.item) == (exercise, item)), None)
    if use is None:
        raise UsageError("the rubric has no such item")
    marks = list(_marks(use, action))
    if not marks:
        raise UsageError("there is nobody left for whom that changes anything")
    return desk.decide(marks, answers=False)


def _marks(use: ItemUse, action: str) -> Iterator[AskedMark]:
    if action == "take":
        for row in use.has:
            yield replace(asked(row, Subject.BONUS, use.item), undo=True)
    elif use.now is not None:
        for row in {"give": use.lacking, "renew": use.outdated}.get(action, ()):
            yield given(row, use.now)
