import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    """
        TO DO: complete this function.
    """
    pass


def copy_board(board):
    """
        TO DO: complete this function.
    """
    pass


def is_proper_board(board):
    """
        TO DO: complete this function.
    """
    pass


def dimension(board):
    """
        TO DO: complete this function.
    """
    pass


def get_all_filled_positions(board):
    """
        TO DO: complete this function.
    """
    pass


def is_filled_at(board, position):
    """
        TO DO: complete this function.
    """
    pass


def is_filled_row(board, row):
    """
        TO DO: complete this function.
    """
    pass


def is_filled_column(board, column):
    """
        TO DO: complete this function.
    """
    pass


def get_all_filled_rows(board):
    """
        TO DO: complete this function.
    """
    pass


def get_all_filled_columns(board):
    """
        TO DO: complete this function.
    """
    pass


def fill_cell(board, position):
    """
        TO DO: complete this function.
    """
    pass


def fill_all_cells(board, positions):
    """
        TO DO: complete this function.
    """
    pass


def free_cell(board, position):
    """
        TO DO: complete this function.
    """
    pass


def free_all_cells(board, positions):
    """
        TO DO: complete this function.
    """
    pass


def free_row(board, row):
    """
        TO DO: complete this function.
    """
    pass


def free_column(board, column):
    """
        TO DO: complete this function.
    """
    pass


def can_be_dropped_at(board, block, position):
    """
        TO DO: complete this function.
    """
    pass


def get_droppable_positions(board, block):
    """
        TO DO: complete this function.
    """
    pass


def drop_at(board, block, position):
    """
        TO DO: complete this function.
    """
    pass


def clear_full_rows_and_columns(board):
    """
        TO DO: complete this function.
    """
    pass


def are_chainable(board, positions):
    """
        TO DO: complete this function.
    """
    pass


def print_board(board):
    for row in range(dimension(board), 0, -1):
        line = str(row).rjust(2)
        for column in range(1, dimension(board) + 1):
            line += " #" if is_filled_at(board, (column, row)) else " ."
        print(line)
