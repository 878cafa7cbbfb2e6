"""The game, without copies of boards: a move that is tried is taken back."""

from collections.abc import Sequence

import Block
import Board
from Position import Cell


def game_move(board: Board.Board, block: Block.Block, position: Cell) -> int:
    """Make a move and give its score."""
    Board.drop_at(board, block, position)
    lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + sum(range(10, 10 * lines + 1, 10))


def highest_score(
    board: Board.Board, blocks: Sequence[Block.Block], start: int = 0
) -> tuple[int, list[Cell]] | tuple[None, None]:
    """Give the best score with the smallest positions; the board is restored after each try."""
    if start >= len(blocks):
        return 0, []
    filled = Board.get_all_filled_positions(board)
    results = []
    for position in Board.get_droppable_positions(board, blocks[start]):
        score = game_move(board, blocks[start], position)
        rest, positions = highest_score(board, blocks, start + 1)
        if rest is not None:
            results.append((-score - rest, [position, *positions]))
        Board.free_all_cells(board, tuple(Board.get_all_filled_positions(board)))
        Board.fill_all_cells(board, filled)
    if not results:
        return None, None
    lost, best = min(results)
    return -lost, best


def play_greedy(board: Board.Board, blocks: Sequence[Block.Block]) -> int | None:
    """Play the first three blocks as well as possible, then the others."""
    if len(blocks) == 0:
        return 0
    best, best_order, best_positions = -1, [], []
    for order in orders(list(blocks[:3])):
        score, positions = highest_score(board, order)
        if score is not None and score > best:
            best, best_order, best_positions = score, order, positions
    if best < 0:
        return None
    for block, position in zip(best_order, best_positions, strict=True):
        game_move(board, block, position)
    rest = play_greedy(board, blocks[3:])
    return None if rest is None else best + rest


def orders(blocks: list[Block.Block]) -> list[list[Block.Block]]:
    """Give all orders of the blocks, the given one first."""
    if not blocks:
        return [[]]
    result = []
    for index, first in enumerate(blocks):
        for others in orders(blocks[:index] + blocks[index + 1 :]):
            result.append([first, *others])
    return result


def play_game() -> None:
    """Play with the keyboard until an empty line."""
    board, total, block = Board.make_board(5), 0, Block.select_standard_block()
    while True:
        Board.print_board(board)
        Block.print_block(block)
        answer = input("Where? ")
        if not answer:
            return
        column, _, row = answer.partition(" ")
        try:
            position = (int(column), int(row))
        except ValueError:
            continue
        if Board.can_be_dropped_at(board, block, position):
            total += game_move(board, block, position)
            print(total)
            block = Block.select_standard_block()
