"""The game: moves, their scores, and two ways to look for a high score."""

import itertools

import Block
import Board
import Position

SCORE_PER_DOT = 1
SCORE_OF_FIRST_LINE = 10
GROUP_SIZE = 3
KEYBOARD_DIMENSION = 5


def game_move(board, block, position):
    """Drop the block on the board with its anchor at the given position, clear all full lines.

    Return the score of that move: 1 for each dot, and 10 for the first full row or column, 20 for
    the second one, 30 for the third one, and so on.

    Assumptions: the board and the block are proper, the block can be dropped at that position.
    """
    Board.drop_at(board, block, position)
    full_lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return _get_score_of_dots(block) + _get_score_of_lines(full_lines)


def _get_score_of_dots(block):
    """Return what the dots of the block are worth.

    Assumptions: the block is proper.
    """
    return SCORE_PER_DOT * len(Block.get_all_dot_positions(block))


def _get_score_of_lines(full_lines):
    """Return what the given number of full rows and columns is worth, cleared in one move.

    Assumptions: the number is an integer that is not negative.
    """
    return SCORE_OF_FIRST_LINE * full_lines * (full_lines + 1) // 2


def highest_score(board, blocks, start=0):
    """Return the highest score of all blocks from index start on, and where they are then dropped.

    The blocks are dropped in the given order, and full lines are cleared after each of them. The
    result is a tuple of the score and the list of the positions of the anchors, one for each block.
    Of all lists with that score, it is the smallest one. The result is (0, []) if there is no block
    from index start on, and (None, None) if there is no way to drop all of them. The board is the
    same afterwards.

    This function is recursive by itself: there are no other parameters, and no other function that
    carries information for it.

    Assumptions: the board and all blocks are proper, the blocks are a list or a tuple, start is an
    integer that is not negative.
    """
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
    """Return a score that the blocks from index start on can certainly not exceed.

    A line is cleared at most as many times as it gets enough cells: those that are filled now, and
    one for each column, or row, that a block spans. The score would be highest if all lines were
    cleared in one move.

    Assumptions: the board and all blocks are proper, start is an integer that is not negative.
    """
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
    """Drop the blocks in groups of three, each group as well as possible, and return the score.

    The last group has one or two blocks if their number is no multiple of three. The blocks of a
    group may be dropped in any order. They are really dropped on the board, in the way with the
    highest score for that group, whatever that means for later groups. Without blocks the score
    is 0.

    The result is None if the blocks of a group cannot all be dropped, in whatever order. Nothing of
    that group is dropped then, the groups before it are.

    Assumptions: the board and all blocks are proper, the blocks are a list or a tuple.
    """
    total = 0
    for first in range(0, len(blocks), GROUP_SIZE):
        score = _play_group(board, blocks[first : first + GROUP_SIZE])
        if score is None:
            return None
        total += score
    return total


def _play_group(board, group):
    """Drop the blocks of the group on the board in the best order, and return their score.

    Nothing happens if that is not possible in any order. The result is None then.

    Assumptions: the board and all blocks are proper.
    """
    best_score = None
    best_order = ()
    best_positions = []
    for order in itertools.permutations(group):
        score, positions = highest_score(board, order)
        if score is not None and (best_score is None or score > best_score):
            best_score, best_order, best_positions = score, order, positions
    for index in range(len(best_positions)):
        game_move(board, best_order[index], best_positions[index])
    return best_score


def play_game():
    """Play the game with the keyboard, one random block at a time, on an empty board.

    The game ends with an empty line, or with a block that cannot be dropped anywhere.

    Assumptions: none.
    """
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
    """Return the position at which the player wants to drop the block, or None to stop.

    The player is asked until the answer makes sense. The end of the input is a wish to stop.

    Assumptions: the board and the block are proper.
    """
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
    """Return the position that the text holds as two numbers, or None if it does not.

    Assumptions: the text is a string.
    """
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
