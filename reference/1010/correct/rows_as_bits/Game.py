"""Positions tried from the last to the first with >=, all results in lists, orders without doubles of equal blocks."""
from itertools import permutations

from Position import *
from Block import *
from Board import *


def game_move(board, block, position):
    drop_at(board, block, position)
    n = len(get_all_filled_rows(board) + list(get_all_filled_columns(board)))
    clear_full_rows_and_columns(board)
    return len(get_all_dot_positions(block)) + sum(range(10, 10 * n + 1, 10))


def highest_score(board, blocks, start=0):
    if not blocks[start:]:
        return 0, []
    best = None, None
    for position in reversed(get_droppable_positions(board, blocks[start])):
        copy = copy_board(board)
        points = game_move(copy, blocks[start], position)
        further = highest_score(copy, blocks, start + 1)
        if further[0] is not None:
            total = points + further[0]
            if best[0] is None or total >= best[0]:
                best = total, [position] + further[1]
    return best


def play_greedy(board, blocks):
    if len(blocks) == 0:
        return 0
    orders = []
    for order in permutations(blocks[:3]):
        if order not in orders:
            orders.append(order)
    scores = []
    solutions = []
    for order in orders:
        score, positions = highest_score(board, order)
        if score is not None:
            scores.append(score)
            solutions.append((order, positions))
    if not scores:
        return None
    best = scores.index(max(scores))
    order, positions = solutions[best]
    for block, position in zip(order, positions):
        game_move(board, block, position)
    rest = play_greedy(board, blocks[3:])
    if rest is None:
        return None
    return max(scores) + rest


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
