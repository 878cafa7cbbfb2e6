# Goes on where Board.py ends: the assumptions of each function, as its documentation has them.


def made(dimension=10, positions_to_fill=frozenset()):
    is_so = Position.is_integer(dimension) and dimension > 0
    Position.promised(is_so, f"{dimension!r} is no dimension")
    Position.collection(positions_to_fill)


def proper_board(board, *_):
    Position.promised(is_proper_board(board), f"not a proper board: {board!r}")


def board_and_position(board, position):
    proper_board(board)
    Position.proper(position)


def board_and_positions(board, positions):
    proper_board(board)
    Position.collection(positions)


def board_and_sequence(board, positions):
    proper_board(board)
    Position.collection(positions, (list, tuple))


def board_and_block(board, block, *position):
    proper_board(board)
    Block.proper_block(block)
    Position.proper(*position)


def chainable(board, positions, *_):
    proper_board(board)
    Position.collection(positions, (list, tuple, set))
    for position in positions:
        Position.on_board(dimension(board), position)
    states = {is_filled_at(board, position) for position in positions}
    Position.promised(len(states) < 2, f"some of these are filled, others empty: {positions}")


Position.with_assumptions(
    globals(),
    {
        "make_board": made,
        "is_filled_at": board_and_position,
        "fill_cell": board_and_position,
        "free_cell": board_and_position,
        "fill_all_cells": board_and_positions,
        "free_all_cells": board_and_sequence,
        "can_be_dropped_at": board_and_block,
        "get_droppable_positions": board_and_block,
        "drop_at": board_and_block,
        "are_chainable": chainable,
        **dict.fromkeys(
            (
                "copy_board",
                "dimension",
                "get_all_filled_positions",
                "is_filled_row",
                "is_filled_column",
                "get_all_filled_rows",
                "get_all_filled_columns",
                "free_row",
                "free_column",
                "clear_full_rows_and_columns",
                "print_board",
            ),
            proper_board,
        ),
    },
)
