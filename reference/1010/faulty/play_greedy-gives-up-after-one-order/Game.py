"""One order in which the blocks cannot be dropped ends the game."""

import itertools

import Block
import Board
import Position

SCORE_PER_DOT = 1
SCORE_OF_FIRST_LINE = 10
GROUP_SIZE = 3
KEYBOARD_DIMENSION = 5


def game_move(board, block, position):
    Board.drop_at(board, block, position)
    full_lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return _get_score_of_dots(block) + _get_score_of_lines(full_lines)


def _get_score_of_dots(block):
    return SCORE_PER_DOT * len(Block.get_all_dot_positions(block))


def _get_score_of_lines(full_lines):
    return SCORE_OF_FIRST_LINE * full_lines * (full_lines + 1) // 2


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    best_score = None
    best_positions = None
    conceivable_score = _get_highest_conceivable_score(board, blocks, start)
    for position in Board.get_droppable_positions(board, blocks[start]):
        next_board = Board.copy_board(board)
        score = game_move(next_board, blocks[start], position)
        rest_score, rest_positions = highest_score(next_board, blocks, start + 1)
        if rest_score is not None and (best_score is None or score + rest_score > best_score):
            best_score = score + rest_score
            best_positions = [position, *rest_positions]
            if best_score == conceivable_score:
                break  # the positions that follow are larger, and cannot score more
    return (best_score, best_positions)


def _get_highest_conceivable_score(board, blocks, start):
    score_of_dots, columns_spanned, rows_spanned = 0, 0, 0
    for index in range(start, len(blocks)):
        leftmost, rightmost = Block.get_horizontal_offsets_from_anchor(blocks[index])
        lowest, highest = Block.get_vertical_offsets_from_anchor(blocks[index])
        score_of_dots += _get_score_of_dots(blocks[index])
        columns_spanned += rightmost - leftmost + 1
        rows_spanned += highest - lowest + 1
    dimension = Board.dimension(board)
    cells_of_rows = [columns_spanned] * dimension
    cells_of_columns = [rows_spanned] * dimension
    for column, row in Board.get_all_filled_positions(board):
        cells_of_rows[row - 1] += 1
        cells_of_columns[column - 1] += 1
    clearances = 0
    for cells in cells_of_rows + cells_of_columns:
        clearances += cells // dimension
    return score_of_dots + _get_score_of_lines(clearances)


def play_greedy(board, blocks):
    total = 0
    for first in range(0, len(blocks), GROUP_SIZE):
        score = _play_group(board, blocks[first : first + GROUP_SIZE])
        if score is None:
            return None
        total += score
    return total


def _play_group(board, group):
    best_score = None
    best_order = ()
    best_positions = []
    for order in itertools.permutations(group):
        score, positions = highest_score(board, order)
        if score is None:
            return None
        if best_score is None or score > best_score:
            best_score, best_order, best_positions = score, order, positions
    for index in range(len(best_positions)):
        game_move(board, best_order[index], best_positions[index])
    return best_score


def play_game():
    board = Board.make_board(KEYBOARD_DIMENSION)
    block = Block.select_standard_block()
    total = 0
    while len(Board.get_droppable_positions(board, block)) > 0:
        Board.print_board(board)
        print("Score:", total)
        Block.print_block(block)
        position = _ask_position(board, block)
        if position is None:
            break
        total += game_move(board, block, position)
        block = Block.select_standard_block()
    print("The game is over. Score:", total)


def _ask_position(board, block):
    while True:
        try:
            answer = input("Column and row of the anchor (nothing to stop): ").strip()
        except EOFError:
            return None
        if answer == "":
            return None
        position = _read_position(answer)
        if position is None:
            print("Two whole numbers, please, such as: 2 3")
        elif not Board.can_be_dropped_at(board, block, position):
            print("The block cannot be dropped there.")
        else:
            return position


def _read_position(text):
    numbers = []
    for word in text.replace(",", " ").split():
        try:
            numbers.append(int(word))
        except ValueError:
            return None
    position = tuple(numbers)
    if Position.is_proper_position(position):
        return position
    return None


if __name__ == "__main__":
    play_game()
