"""Het spel zelf."""

import Position
import Block
import Board


def game_move(board, block, position):
    """Een zet: laten vallen, tellen, leegmaken."""
    Board.drop_at(board, block, position)
    lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + 10 * lines * (lines + 1) // 2


def highest_score(board, blocks, start=0):
    """Hoogste score voor alle blokken vanaf start."""
    # neemt voorlopig telkens de beste zet van dit moment
    if start == len(blocks):
        return 0, []
    beste = None
    for position in Board.get_droppable_positions(board, blocks[start]):
        kopie = Board.copy_board(board)
        score = game_move(kopie, blocks[start], position)
        if beste == None or score > beste[0]:
            beste = (score, position, kopie)
    if beste == None:
        return None, None
    rest = highest_score(beste[2], blocks, start + 1)
    if rest[0] == None:
        return None, None
    return beste[0] + rest[0], [beste[1]] + rest[1]


def play_greedy(board, blocks):
    """Speel telkens drie blokken zo goed mogelijk."""
    # TODO
    return None


def play_game():
    """Speel met het toetsenbord."""
    board = Board.make_board(5)
    total = 0
    while True:
        block = Block.select_standard_block()
        if Board.get_droppable_positions(board, block) == []:
            break
        Board.print_board(board)
        Block.print_block(block)
        total += game_move(board, block, (int(input("kolom? ")), int(input("rij? "))))
    print(total)
