import itertools
import Block
import Board


def game_move(board, block, position):
    Board.drop_at(board, block, position)
    lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + 10 * lines * (lines + 1) // 2


def highest_score(board, blocks, start=0):
    """
        TO DO: complete this function.
    """
    pass


def play_greedy(board, blocks):
    """
        TO DO: complete this function.
    """
    pass


def play_game():
    board = Board.make_board(5)
    score = 0
    block = Block.select_standard_block()
    while len(Board.get_droppable_positions(board, block)) > 0:
        Board.print_board(board)
        Block.print_block(block)
        column = int(input("Kolom: "))
        row = int(input("Rij: "))
        if Board.can_be_dropped_at(board, block, (column, row)):
            score += game_move(board, block, (column, row))
            block = Block.select_standard_block()
    print("Score:", score)
