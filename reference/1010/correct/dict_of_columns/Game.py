"""Backtracks on the board itself: fills, clears and afterwards repairs; orders of the group by a recursive helper, on ties the last order is taken."""
import Position
import Block
import Board
from Board import *
from Block import *


def game_move(board, block, position):
    drop_at(board, block, position)
    score = len(get_all_dot_positions(block))
    n = len(get_all_filled_rows(board)) + len(get_all_filled_columns(board))
    clear_full_rows_and_columns(board)
    for i in range(1, n + 1):
        score = score + 10 * i
    return score


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    best = (None, None)
    filled_before = get_all_filled_positions(board)
    block = blocks[start]
    for position in get_droppable_positions(board, block):
        score = game_move(board, block, position)
        (rest, positions) = highest_score(board, blocks, start + 1)
        if rest != None:
            if best[0] == None or score + rest > best[0]:
                best = (score + rest, [position] + positions)
        # repair the board
        filled_now = get_all_filled_positions(board)
        free_all_cells(board, tuple(filled_now - filled_before))
        fill_all_cells(board, filled_before - filled_now)
    return best


def all_orders(things):
    """All orders of the things in the list."""
    if len(things) <= 1:
        return [list(things)]
    orders = []
    for i in range(len(things)):
        others = list(things[:i]) + list(things[i + 1:])
        for order in all_orders(others):
            orders.append([things[i]] + order)
    return orders


def play_greedy(board, blocks):
    total = 0
    start = 0
    while start < len(blocks):
        group = blocks[start:start + 3]
        best = None
        for order in all_orders(group):
            (score, positions) = highest_score(board, order)
            if score != None and (best == None or score >= best[0]):
                best = (score, positions, order)
        if best == None:
            return None
        (score, positions, order) = best
        for i in range(len(order)):
            game_move(board, order[i], positions[i])
        total += score
        start += 3
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
