# Emma Jacobs - practicum MI
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
    """Hoogste score: probeer alle lijsten van posities en hou de beste over."""
    blokken = list(blocks)[start:]
    if blokken == []:
        return (0, [])
    return probeer(board, blokken, [])


def probeer(board, blokken, posities):
    """Vul de lijst van posities aan op alle mogelijke manieren en geef de beste (score, posities)."""
    if len(posities) == len(blokken):
        return (speel(Board.copy_board(board), blokken, posities), posities)
    beste = (None, None)
    for k in range(0, Board.dimension(board) + 2):
        for r in range(0, Board.dimension(board) + 2):
            score, lijst = probeer(board, blokken, posities + [(k, r)])
            if score != None and (beste[0] == None or score > beste[0]):
                beste = (score, lijst)
    return beste


def speel(board, blokken, posities):
    """Speel alle blokken op hun positie, None als er een niet past."""
    score = 0
    for i in range(len(blokken)):
        if not Board.can_be_dropped_at(board, blokken[i], posities[i]):
            return None
        score += game_move(board, blokken[i], posities[i])
    return score


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
