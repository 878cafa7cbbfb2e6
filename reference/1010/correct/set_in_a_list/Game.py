"""Straightforward backtracking on copies of the board; orders with itertools, first best order wins."""
import itertools

from Position import *
from Block import *
from Board import *


def game_move(board, block, position):
    drop_at(board, block, position)
    lines = len(get_all_filled_rows(board)) + len(get_all_filled_columns(board))
    clear_full_rows_and_columns(board)
    return len(get_all_dot_positions(block)) + 10 * lines * (lines + 1) // 2


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    best_score = None
    best_positions = None
    for position in get_droppable_positions(board, blocks[start]):
        new_board = copy_board(board)
        score = game_move(new_board, blocks[start], position)
        rest_score, rest_positions = highest_score(new_board, blocks, start + 1)
        if rest_score is not None and (best_score is None or score + rest_score > best_score):
            best_score = score + rest_score
            best_positions = [position] + rest_positions
    return (best_score, best_positions)


def play_greedy(board, blocks):
    total = 0
    for start in range(0, len(blocks), 3):
        best_score = None
        best_order = None
        best_positions = None
        for order in itertools.permutations(blocks[start:start + 3]):
            score, positions = highest_score(board, order)
            if score is not None and (best_score is None or score > best_score):
                best_score = score
                best_order = order
                best_positions = positions
        if best_score is None:
            return None
        for i in range(len(best_order)):
            total += game_move(board, best_order[i], best_positions[i])
    return total


def play_game():
    """Play the game with the keyboard on a board of 5 by 5."""
    board = make_board(5)
    score = 0
    block = select_standard_block()
    while len(get_droppable_positions(board, block)) > 0:
        print_board(board)
        print_block(block)
        column = int(input("Column of the anchor: "))
        row = int(input("Row of the anchor: "))
        if can_be_dropped_at(board, block, (column, row)):
            score += game_move(board, block, (column, row))
            print("Score:", score)
            block = select_standard_block()
        else:
            print("Not possible!")
    print("Game over, score:", score)


if __name__ == "__main__":
    play_game()
