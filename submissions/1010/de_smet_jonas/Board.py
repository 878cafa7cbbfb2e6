"""Module met functies op borden.

Een bord is een lijst: eerst de dimensie, dan een dictionary met per kolom de gevulde rijen.
"""

import Position
import Block


def make_board(dimension=10, positions_to_fill=frozenset()):
    """Maak een nieuw bord."""
    board = [dimension, {}]
    for position in positions_to_fill:
        fill_cell(board, position)
    return board


def copy_board(board):
    """Kopie van het bord."""
    return make_board(dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """Ga na of dit een bord is."""
    if not isinstance(board, list) or len(board) != 2:
        return False
    if not isinstance(board[0], int) or not isinstance(board[1], dict):
        return False
    if board[0] < 1:
        return False
    for kolom in board[1]:
        for rij in board[1][kolom]:
            if not Position.is_proper_position_for_board(board[0], (kolom, rij)):
                return False
    return True


def dimension(board):
    """De dimensie."""
    return board[0]


def get_all_filled_positions(board):
    """Alle gevulde posities."""
    resultaat = set()
    for kolom in board[1]:
        for rij in board[1][kolom]:
            resultaat.add((kolom, rij))
    return resultaat


def is_filled_at(board, position):
    """Is de cel gevuld?"""
    kolom, rij = position
    return kolom in board[1] and rij in board[1][kolom]


def is_filled_row(board, row):
    """Is de rij vol?"""
    if not isinstance(row, int) or row < 1 or row > dimension(board):
        return False
    k = 1
    vol = True
    while k <= dimension(board) and vol:
        vol = is_filled_at(board, (k, row))
        k = k + 1
    return vol


def is_filled_column(board, column):
    """Is de kolom vol?"""
    if not isinstance(column, int) or column < 1 or column > dimension(board):
        return False
    aantal = 0
    for r in range(1, dimension(board) + 1):
        if is_filled_at(board, (column, r)):
            aantal += 1
    return aantal == dimension(board)


def get_all_filled_rows(board):
    """Lijst van volle rijen."""
    resultaat = []
    r = 1
    while r <= dimension(board):
        if is_filled_row(board, r):
            resultaat.append(r)
        r = r + 1
    return resultaat


def get_all_filled_columns(board):
    """Tuppel van volle kolommen, van groot naar klein."""
    resultaat = []
    for k in range(1, dimension(board) + 1):
        if is_filled_column(board, k):
            resultaat.insert(0, k)
    return tuple(resultaat)


def fill_cell(board, position):
    """Vul een cel."""
    if Position.is_proper_position_for_board(dimension(board), position):
        kolom, rij = position
        if kolom not in board[1]:
            board[1][kolom] = set()
        board[1][kolom].add(rij)


def fill_all_cells(board, positions):
    """Vul alle cellen."""
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    """Maak een cel leeg."""
    if is_filled_at(board, position):
        kolom, rij = position
        board[1][kolom].remove(rij)


def free_all_cells(board, positions):
    """Maak alle cellen leeg (recursief)."""
    if len(positions) > 0:
        free_cell(board, positions[-1])
        free_all_cells(board, positions[:-1])


def free_row(board, row):
    """Maak een rij leeg."""
    for k in range(1, dimension(board) + 1):
        free_cell(board, (k, row))


def free_column(board, column):
    """Maak een kolom leeg."""
    for r in range(1, dimension(board) + 1):
        free_cell(board, (column, r))


def cellen_onder(block, position):
    """De cellen die het blok zou bedekken."""
    cellen = []
    for dot in Block.get_all_dot_positions(block):
        cellen.append((position[0] + dot[0], position[1] + dot[1]))
    return cellen


def can_be_dropped_at(board, block, position):
    """Kan het blok hier vallen?"""
    for cel in cellen_onder(block, position):
        if is_filled_at(board, cel) or not Position.is_proper_position_for_board(dimension(board), cel):
            return False
    return True


def get_droppable_positions(board, block):
    """Alle posities waar het blok kan vallen."""
    resultaat = []
    L, R = Block.get_horizontal_offsets_from_anchor(block)
    B, A = Block.get_vertical_offsets_from_anchor(block)
    k = 1 - L
    while k <= dimension(board) - R:
        r = 1 - B
        while r <= dimension(board) - A:
            if can_be_dropped_at(board, block, (k, r)):
                resultaat.append((k, r))
            r += 1
        k += 1
    return resultaat


def drop_at(board, block, position):
    """Laat het blok vallen."""
    fill_all_cells(board, cellen_onder(block, position))


def clear_full_rows_and_columns(board):
    """Maak volle rijen en kolommen leeg."""
    leeg_te_maken = set()
    for r in get_all_filled_rows(board):
        for k in range(1, dimension(board) + 1):
            leeg_te_maken.add((k, r))
    for k in get_all_filled_columns(board):
        for r in range(1, dimension(board) + 1):
            leeg_te_maken.add((k, r))
    for cel in leeg_te_maken:
        free_cell(board, cel)


def are_chainable(board, positions, bezocht=None):
    """Liggen alle posities in een gebied van dezelfde soort?"""
    positions = list(positions)
    if len(positions) <= 1:
        return True
    if bezocht is None:
        bezocht = set()
        verken(board, positions[0], bezocht)
    if positions[1] not in bezocht:
        return False
    return are_chainable(board, positions[1:], bezocht)


def verken(board, position, bezocht):
    """Zet alle cellen die vanaf position te bereiken zijn in bezocht."""
    bezocht.add(position)
    for buur in Position.get_adjacent_positions(position, dimension(board)):
        if buur not in bezocht and is_filled_at(board, buur) == is_filled_at(board, position):
            verken(board, buur, bezocht)


def print_board(board):
    """Print het bord."""
    for row in range(dimension(board), 0, -1):
        for column in range(1, dimension(board) + 1):
            print("#" if is_filled_at(board, (column, row)) else ".", end=" ")
        print()
