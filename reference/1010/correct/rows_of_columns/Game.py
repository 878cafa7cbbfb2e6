"""The game, written with plain loops and without helper functions."""

from itertools import permutations

from Block import get_all_dot_positions, print_block, select_standard_block
from Board import (
    can_be_dropped_at,
    clear_full_rows_and_columns,
    copy_board,
    drop_at,
    get_all_filled_columns,
    get_all_filled_rows,
    get_droppable_positions,
    make_board,
    print_board,
)


def game_move(board, block, position):
    """Drop the block, clear full lines, return the score."""
    drop_at(board, block, position)
    score = len(get_all_dot_positions(block))
    lines = len(get_all_filled_rows(board)) + len(get_all_filled_columns(board))
    for number in range(1, lines + 1):
        score += 10 * number
    clear_full_rows_and_columns(board)
    return score


def highest_score(board, blocks, start=0):
    """Return the best score and the positions that lead to it.

    The positions are tried from the last to the first: the first of equally good ones stays.
    """
    if start >= len(blocks):
        return (0, [])
    best = (None, None)
    for position in reversed(get_droppable_positions(board, blocks[start])):
        board_after = copy_board(board)
        score = game_move(board_after, blocks[start], position)
        more, positions = highest_score(board_after, blocks, start + 1)
        if more is not None and (best[0] is None or score + more >= best[0]):
            best = (score + more, [position, *positions])
    return best


def play_greedy(board, blocks):
    """Play three blocks at a time as well as possible, return the score or None."""
    score = 0
    blocks = list(blocks)
    while len(blocks) > 0:
        group, blocks = blocks[:3], blocks[3:]
        best = None
        for order in permutations(group):
            group_score, positions = highest_score(board, order)
            if group_score is not None and (best is None or group_score > best[0]):
                best = (group_score, order, positions)
        if best is None:
            return None
        for block, position in zip(best[1], best[2], strict=True):
            score += game_move(board, block, position)
    return score


def play_game():
    """Play on a board of 5 by 5 with the keyboard, until an empty line."""
    board = make_board(5)
    score = 0
    block = select_standard_block()
    while get_droppable_positions(board, block) != []:
        print_board(board)
        print_block(block)
        line = input("column row? ")
        if line == "":
            return
        numbers = line.split()
        if len(numbers) == 2 and numbers[0].isdecimal() and numbers[1].isdecimal():
            position = (int(numbers[0]), int(numbers[1]))
            if can_be_dropped_at(board, block, position):
                score += game_move(board, block, position)
                print("score:", score)
                block = select_standard_block()
