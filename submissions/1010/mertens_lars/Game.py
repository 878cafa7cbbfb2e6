# Lars Mertens
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
        print("blok", start, "op", position, "geeft", score)
        rest = highest_score(board, blocks, start + 1)
        # zet ongedaan maken
        Board.free_all_cells(board, tuple(Board.get_all_filled_positions(board)))
        Board.fill_all_cells(board, gevuld)
        if rest[0] != None:
            if hoogste == None or score + rest[0] > hoogste:
                hoogste = score + rest[0]
                hoogste_posities = [position] + rest[1]
    return hoogste, hoogste_posities


def volgordes(blocks):
    """Alle volgordes van de blokken."""
    if len(blocks) <= 1:
        return [list(blocks)]
    resultaat = []
    for i in range(len(blocks)):
        rest = list(blocks[:i]) + list(blocks[i + 1:])
        for volgorde in volgordes(rest):
            resultaat.append([blocks[i]] + volgorde)
    return resultaat


def play_greedy(board, blocks):
    """Speel telkens drie blokken zo goed mogelijk."""
    score = 0
    rest = list(blocks)
    while rest != []:
        groep = rest[:3]
        rest = rest[3:]
        beste = (None, None)
        for volgorde in volgordes(groep):
            resultaat = highest_score(board, volgorde)
            if resultaat[0] != None and (beste[0] == None or resultaat[0] > beste[0]):
                beste = resultaat
                beste_volgorde = volgorde
        if beste[0] == None:
            return None
        for block, position in zip(beste_volgorde, beste[1]):
            game_move(board, block, position)
        score += beste[0]
    return score


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


# test
bord = Board.make_board(3, [(1, 1), (2, 1)])
print(highest_score(bord, [Block.make_block({(0, 0)})]))
