"""The modules of 1010! in an executor, as the window asks for them: see `OwnModules` in GUI.py."""

from __future__ import annotations

import random
from typing import Final, Protocol, TypeAlias

from conversation import Conversation, StepFailed
from game_sources import MODULES
from grader.values.display import render_value
from grader.values.tree import Atom, Collection, Sequence, Value

Position: TypeAlias = tuple[int, int]
_MAX_SHOWN_CHARS: Final = 100


class Failure(Protocol):
    """Makes the exception that the window shows to the player."""

    def __call__(self, text: str, /, *, can_go_on: bool) -> Exception:
        """Return the exception that says `text`."""


class SandboxedModules:
    """The board and the block of one game, kept in an executor; only steps and values travel."""

    def __init__(self, conversation: Conversation, failure: Failure, seed: int | None) -> None:
        """Play with the program of `conversation`; a `seed` gives the same blocks each time."""
        self._conversation: Final = conversation
        self._failure: Final = failure
        self._seeds: Final = random.Random(seed)  # noqa: S311 - a game keeps no secrets

    def new_board(self, dimension: int) -> None:
        """Start in a fresh executor with an empty board of `dimension`."""
        try:
            self._conversation.start()
        except StepFailed as failed:
            raise self._shown(failed) from failed
        for name in MODULES:
            self._run(f"Importing {name}", f"import {name}", name)
        seed = self._seeds.getrandbits(32)
        self._run("random.seed", f"import random; random.seed({seed})", "random")
        self._run("Board.make_board", f"board = Board.make_board({dimension})", "board")

    def new_block(self) -> None:
        """Take a standard block, normalized."""
        select = "selected = Block.select_standard_block()"
        self._run("Block.select_standard_block", select, "selected")
        self._run("Block.normalize", "block = Block.normalize(selected)", "block")

    def dimension(self) -> object:
        """Return the dimension of the board."""
        return self._value("Board.dimension", "Board.dimension(board)")

    def filled_positions(self, positions: list[Position]) -> object:
        """Return those of `positions` at which the board is filled."""
        filled = f"[each for each in {positions} if Board.is_filled_at(board, each)]"
        return self._value("Board.is_filled_at", filled)

    def dots(self) -> object:
        """Return the positions of the dots of the block."""
        return self._value("Block.get_all_dot_positions", "Block.get_all_dot_positions(block)")

    def droppable_positions(self) -> object:
        """Return the positions at which the block can be dropped."""
        droppable = "Board.get_droppable_positions(board, block)"
        return self._value("Board.get_droppable_positions", droppable)

    def can_be_dropped_at(self, position: Position) -> bool:
        """Return whether the block can be dropped at `position`."""
        asked = f"bool(Board.can_be_dropped_at(board, block, {position}))"
        return self._value("Board.can_be_dropped_at", asked) is True

    def move(self, position: Position) -> object:
        """Drop the block at `position`, and return the score of that move."""
        return self._value("Game.game_move", f"Game.game_move(board, block, {position})")

    def _run(self, subject: str, code: str, name: str) -> None:
        try:
            self._conversation.run(subject, code, name)
        except StepFailed as failed:
            raise self._shown(failed) from failed

    def _value(self, subject: str, code: str) -> object:
        try:
            return plain_value(self._conversation.value(subject, code))
        except StepFailed as failed:
            raise self._shown(failed) from failed

    def _shown(self, failed: StepFailed) -> Exception:
        return self._failure(failed.text, can_go_on=failed.can_go_on)


class _Foreign:
    """A value that the window can only show."""

    def __init__(self, value: Value) -> None:
        self._value: Final = value

    def __repr__(self) -> str:
        return render_value(self._value, _MAX_SHOWN_CHARS)


def plain_value(value: Value) -> object:
    """Return `value` as Python's own, made of numbers, text, tuples and lists.

    A set becomes a list: to hash what a stranger has chosen can take for ever.
    """
    match value:
        case Atom(content):
            return content
        case Sequence(type_name="tuple", items=items):
            return tuple(map(plain_value, items))
        case Sequence(items=items) | Collection(items=items):
            return list(map(plain_value, items))
        case _:
            return _Foreign(value)
