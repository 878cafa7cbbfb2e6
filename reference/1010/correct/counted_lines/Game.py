"""The game, with the remaining blocks cut off from the given ones."""

import Block
import Board

ORDERS = {
    1: ((0,),),
    2: ((0, 1), (1, 0)),
    3: ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)),
}


def game_move(board, block, position):
    """Make a move; what is it worth?"""
    Board.drop_at(board, block, position)
    lines = len(Board.get_all_filled_rows(board))
    lines += len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + 5 * lines**2 + 5 * lines


def highest_score(board, blocks, start=0):
    """What is the best score, and how is it reached?"""
    remaining = blocks[start:]
    if len(remaining) == 0:
        return (0, [])
    best_score, best_positions = None, None
    for position in Board.get_droppable_positions(board, remaining[0]):
        trial = Board.copy_board(board)
        score = game_move(trial, remaining[0], position)
        other_score, other_positions = highest_score(trial, remaining, 1)
        if other_score is None:
            continue
        score += other_score
        if best_score is None or best_score < score:
            best_score = score
            best_positions = [position]
            best_positions.extend(other_positions)
    return (best_score, best_positions)


def play_greedy(board, blocks, size_of_group=3):
    """What do groups of three blocks score, each played as well as possible?"""
    total = 0
    start = 0
    while start < len(blocks):
        group = tuple(blocks[start : start + size_of_group])
        start += size_of_group
        best = (0, None, None)
        for indices in ORDERS[len(group)]:
            order = []
            for index in indices:
                order.append(group[index])
            score, positions = highest_score(board, order)
            if score is not None and score > best[0]:
                best = (score, order, positions)
        if best[0] == 0:
            return None
        total += best[0]
        for number in range(len(group)):
            game_move(board, best[1][number], best[2][number])
    return total


def play_game():
    """Play on a small board with the keyboard until an empty line."""
    board = Board.make_board(5)
    total = 0
    answer = "start"
    block = Block.select_standard_block()
    while answer != "":
        Board.print_board(board)
        Block.print_block(block)
        answer = input("column,row: ")
        for position in Board.get_droppable_positions(board, block):
            if answer == str(position[0]) + "," + str(position[1]):
                total += game_move(board, block, position)
                block = Block.select_standard_block()
        print(total)
