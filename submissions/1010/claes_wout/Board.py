# Wout Claes, 1ste bachelor - het bord
# Een bord is een dictionary met de dimensie en een set van de gevulde posities.
# Zo neemt een leeg bord altijd evenveel plaats in.
import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    """
        Create a new board of the given dimension in which the cells at the
        given positions are filled.
    """
    board = {"dimensie": dimension, "gevuld": set()}
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    return make_board(dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """
        ASSUMPTIONS
        - None
        - a board is a dict with a positive dimension and a set of positions on it
    """
    if not isinstance(board, dict) or set(board.keys()) != {"dimensie", "gevuld"}:
        return False
    if type(board["dimensie"]) != int or board["dimensie"] <= 0:
        return False
    if not isinstance(board["gevuld"], set):
        return False
    for positie in board["gevuld"]:
        if not Position.is_proper_position_for_board(board["dimensie"], positie):
            return False
    return True


def dimension(board):
    return board["dimensie"]


def get_all_filled_positions(board):
    return board["gevuld"].copy()


def is_filled_at(board, position):
    return position in board["gevuld"]


def is_filled_row(board, row):
    # geen for!
    if not Position.is_proper_position_for_board(dimension(board), (1, row)):
        return False
    positie = (1, row)
    while positie is not None:
        if not is_filled_at(board, positie):
            return False
        positie = Position.right(dimension(board), positie)
    return True


def is_filled_column(board, column):
    # geen while!
    if not Position.is_proper_position_for_board(dimension(board), (column, 1)):
        return False
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True


def get_all_filled_rows(board):
    rijen = []
    rij = 1
    while rij <= dimension(board):
        if is_filled_row(board, rij):
            rijen.append(rij)
        rij += 1
    return rijen


def get_all_filled_columns(board):
    kolommen = ()
    for kolom in range(dimension(board), 0, -1):
        if is_filled_column(board, kolom):
            kolommen += (kolom,)
    return kolommen


def fill_cell(board, position):
    if Position.is_proper_position_for_board(dimension(board), position):
        board["gevuld"].add(position)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    board["gevuld"].discard(position)


def free_all_cells(board, positions):
    # recursief: eerst de eerste, dan de rest
    if len(positions) == 0:
        return
    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])


def free_row(board, row):
    for column in range(1, dimension(board) + 1):
        free_cell(board, (column, row))


def free_column(board, column):
    for row in range(1, dimension(board) + 1):
        free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    for (dx, dy) in Block.get_all_dot_positions(block):
        cel = Position.translate_over(position, dx, dy)
        if not Position.is_proper_position_for_board(dimension(board), cel):
            return False
        if is_filled_at(board, cel):
            return False
    return True


def get_droppable_positions(board, block):
    links, rechts = Block.get_horizontal_offsets_from_anchor(block)
    onder, boven = Block.get_vertical_offsets_from_anchor(block)
    posities = []
    # alleen de ankers waarvoor het blok binnen het bord valt
    for kolom in range(1 - links, dimension(board) - rechts + 1):
        for rij in range(1 - onder, dimension(board) - boven + 1):
            if can_be_dropped_at(board, block, (kolom, rij)):
                posities.append((kolom, rij))
    return posities


def drop_at(board, block, position):
    if can_be_dropped_at(board, block, position):
        for (dx, dy) in Block.get_all_dot_positions(block):
            fill_cell(board, Position.translate_over(position, dx, dy))


def clear_full_rows_and_columns(board):
    rijen = get_all_filled_rows(board)
    kolommen = get_all_filled_columns(board)
    for kolom in kolommen:
        free_column(board, kolom)
    for rij in rijen:
        free_row(board, rij)


def are_chainable(board, positions, gebied=frozenset()):
    # gebied: alle cellen die we al bereikt hebben
    positions = set(positions)
    if len(positions - gebied) == 0:
        return True
    if len(gebied) == 0:
        return are_chainable(board, positions, frozenset({min(positions)}))
    groter = set(gebied)
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if is_filled_at(board, buur) == is_filled_at(board, cel):
                groter.add(buur)
    if len(groter) == len(gebied):
        return False
    return are_chainable(board, positions, frozenset(groter))


def print_board(board):
    for row in range(dimension(board), 0, -1):
        line = str(row).rjust(2)
        for column in range(1, dimension(board) + 1):
            line += " #" if is_filled_at(board, (column, row)) else " ."
        print(line)
