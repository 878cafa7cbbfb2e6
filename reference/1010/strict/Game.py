# Goes on where Game.py ends: the assumptions of each function, as its documentation has them.


def droppable(board, block, position):
    Board.board_and_block(board, block, position)
    is_so = Board.can_be_dropped_at(board, block, position)
    Position.promised(is_so, f"the block cannot be dropped at {position}")


def board_and_blocks(board, blocks, start=0):
    Board.proper_board(board)
    Position.promised(type(blocks) in (list, tuple), f"not the right collection: {blocks!r}")
    Block.proper_block(*blocks)
    Position.promised(Position.is_integer(start) and start >= 0, f"{start!r} is no index")


Position.with_assumptions(
    globals(),
    {
        "game_move": droppable,
        "highest_score": board_and_blocks,
        "play_greedy": board_and_blocks,
    },
)
