"""Lines of a scene that compare two objects of a submission: one has been through more.

What an object gives hangs on the state that it is in, not on how it came there: see decision 87.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

Move: TypeAlias = tuple[Any, ...]
"""The name of a method, and its arguments."""

HELPERS: Final = (
    """def works(thing, method, *arguments):
...     try:
...         getattr(thing, method)(*arguments)
...     except Exception:
...         return False
...     return True""",
    """def answer(question):
...     try:
...         return question()
...     except Exception:
...         return None""",
    # A `__repr__` alone does not count: that of a dataclass shows what it likes to keep.
    """def shown(thing):
...     is_written = type(thing).__str__ is not object.__str__
...     return answer(lambda: str(thing)) if is_written else None""",
)
"""What is defined to compare objects; what raises has no answer, or does not work."""


def compared(
    first: str,
    second: str,
    moves: Sequence[Move],
    *,
    defined: Sequence[str],
    between: Sequence[str] = (),
    last_of_each: bool = False,
) -> list[str]:
    """Return lines that try `moves` on `first` and repeat those that work on `second`; compare.

    The last line is True where they are the same. Both names have been given to equal objects.
    `defined` are functions of such an object: `asked` returns a list of what it shows and answers,
    with the help of `shown` and `answer`, and `allowed`, which may change the object, one of what
    `works`. What may be kept and changed later has to be copied. The lines `between` come in the
    middle of the moves, and after them. Where the last move with the same arguments says all, only
    the `last_of_each` are repeated: those in `last`.

    What was refused is tried twice more in the end: once everything else has been done some of it
    may work, and what a refusal leaves behind is there when the questions are asked.

    What is missing, raises, is allowed or is refused, however wrongly, is so in both objects. Two
    things are told besides: a method that undoes nothing, where only the last moves are repeated,
    and that all answers are None, as if nothing was written.
    """
    half = len(moves) // 2
    tried = "[(move, works({}, *move)) for move in {}]"
    last = (
        "later = [[move[1:] for move in done[at:]] for at in range(1, len(done) + 1)]",
        "last = [move for move, rest in zip(done, later) if move[1:] not in rest]",
    )
    return [
        *HELPERS,
        *defined,
        f"tried = {tried.format(first, [*moves[:half]])}",
        *between,
        f"tried += {tried.format(first, [*moves[half:]])}",
        *between,
        "refused = [move for move, has_worked in tried if not has_worked]",
        f"tried += {tried.format(first, 'refused + refused')}",
        "done = [move for move, has_worked in tried if has_worked]",
        *(last if last_of_each else ()),
        f"[works({second}, *move) for move in {'last' if last_of_each else 'done'}]",
        f"answers = asked({first})",
        f"is_same = answers == asked({second}) and allowed({first}) == allowed({second})",
        "is_same and any(each is not None for each in answers)",
    ]
