"""Collects all results and sorts them, scores by formula, orders by three loops over the indices."""
import Board
import Block
from Board import make_board, print_board, get_droppable_positions, can_be_dropped_at
from Block import select_standard_block, print_block


def game_move(board, block, position):
    Board.drop_at(board, block, position)
    n = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + n * (n + 1) * 5


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    results = []
    for position in Board.get_droppable_positions(board, blocks[start]):
        test_board = Board.copy_board(board)
        score = game_move(test_board, blocks[start], position)
        (score_rest, positions_rest) = highest_score(test_board, blocks, start + 1)
        if score_rest is not None:
            results.append((-(score + score_rest), [position] + positions_rest))
    if results == []:
        return (None, None)
    results.sort()
    return (-results[0][0], results[0][1])


def get_orders(group):
    """List of all orders of 1, 2 or 3 blocks, the given order first."""
    if len(group) == 1:
        return [[group[0]]]
    if len(group) == 2:
        return [[group[0], group[1]], [group[1], group[0]]]
    orders = []
    for i in range(3):
        for j in range(3):
            for k in range(3):
                if i != j and i != k and j != k:
                    orders.append([group[i], group[j], group[k]])
    return orders


def play_greedy(board, blocks):
    todo = list(blocks)
    total = 0
    while todo != []:
        group = todo[:3]
        todo = todo[3:]
        highest = 0
        best_order = []
        best_positions = []
        for order in get_orders(group):
            (score, positions) = highest_score(board, order)
            if score is not None and score > highest:
                highest = score
                best_order = order
                best_positions = positions
        if highest == 0:
            return None
        for i in range(len(group)):
            game_move(board, best_order[i], best_positions[i])
        total += highest
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
