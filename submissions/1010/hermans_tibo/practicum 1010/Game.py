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
    if start >= len(blocks):
        return 0, []
    gevuld = Board.get_all_filled_positions(board)
    hoogste = None
    hoogste_posities = None
    for position in Board.get_droppable_positions(board, blocks[start]):
        score = game_move(board, blocks[start], position)
        rest = highest_score(board, blocks, start + 1)
        # zet ongedaan maken
        Board.free_all_cells(board, tuple(Board.get_all_filled_positions(board)))
        Board.fill_all_cells(board, gevuld)
        if rest[0] is not None:
            if hoogste is None or score + rest[0] > hoogste:
                hoogste = score + rest[0]
                hoogste_posities = [position] + rest[1]
    return hoogste, hoogste_posities


def volgordes(blocks):
    """Alle volgordes van de blokken."""
    if len(blocks) <= 1:
        return [list(blocks)]
    uitkomst = []
    for i in range(len(blocks)):
        rest = list(blocks[:i]) + list(blocks[i + 1:])
        for volgorde in volgordes(rest):
            uitkomst.append([blocks[i]] + volgorde)
    return uitkomst


def play_greedy(board, blocks):
    """Speel telkens drie blokken zo goed mogelijk, groep na groep (recursief)."""
    if len(blocks) == 0:
        return 0
    beste_score = 0
    for volgorde in volgordes(blocks[:3]):
        score, posities = highest_score(board, volgorde)
        if score is not None and score > beste_score:
            beste_score, beste_volgorde, beste_posities = score, volgorde, posities
    if beste_score == 0:
        return None
    for i in range(len(beste_volgorde)):
        game_move(board, beste_volgorde[i], beste_posities[i])
    rest = play_greedy(board, blocks[3:])
    if rest is not None:
        return beste_score + rest


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
