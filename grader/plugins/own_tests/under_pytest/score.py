"""Points that a test counts up by itself, by the fixtures `score` and `max_score`."""

from __future__ import annotations

import ctypes
import mmap
from typing import Final, TypeAlias

Board: TypeAlias = "ctypes.Array[ctypes.c_double]"
SCORE, MAX_SCORE, IS_COUNTED = range(3)
"""What stands where on the board."""


def new_board() -> Board:
    """Return a place for points that copies of this process share."""
    kind = ctypes.c_double * 3
    return kind.from_buffer(mmap.mmap(-1, ctypes.sizeof(kind)))


class Score:
    """Points that a test counts up, as a runner would hand them in by `multiprocessing.Value`."""

    def __init__(self, board: Board, place: int) -> None:
        """Count at a place of `board`, which is there when the test is not any more."""
        self._board: Final = board
        self._place: Final = place
        board[IS_COUNTED] = 1

    @property
    def value(self) -> float:
        """How many there are."""
        return self._board[self._place]

    @value.setter
    def value(self, points: float) -> None:
        self._board[self._place] = points

    def get_lock(self) -> Score:
        """Return what can stand in a `with`."""
        return self

    def __enter__(self) -> None:
        """Do nothing: nobody else counts."""

    def __exit__(self, *_error: object) -> None:
        """Do nothing."""
