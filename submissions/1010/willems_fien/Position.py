# Fien Willems - posities
# Een positie is een tuppel (kolom, rij)


def is_proper_position(position):
    """
        Check whether the given position is a proper position.
        ASSUMPTIONS
        - None
    """
    # een bool is ook een int, maar geen coordinaat
    if type(position) != tuple or len(position) != 2:
        return False
    return type(position[0]) == int and type(position[1]) == int


def is_proper_position_for_board(dimension, position):
    """
        Check whether the given position is a proper position for a board
        with the given dimension.
    """
    if type(dimension) != int or dimension <= 0:
        return False
    if not is_proper_position(position):
        return False
    kolom, rij = position
    return 1 <= kolom <= dimension and 1 <= rij <= dimension


def left(dimension, position):
    if position[0] == 1:
        return None
    return translate_over(position, -1, 0)


def right(dimension, position):
    if position[0] == dimension:
        return None
    return translate_over(position, 1, 0)


def up(dimension, position):
    if position[1] == dimension:
        return None
    return translate_over(position, 0, 1)


def down(dimension, position):
    if position[1] == 1:
        return None
    return translate_over(position, 0, -1)


def next(dimension, position):
    # op het einde van een rij beginnen we een rij hoger, helemaal links
    if right(dimension, position) is not None:
        return right(dimension, position)
    hoger = up(dimension, position)
    if hoger is None:
        return None
    return (1, hoger[1])


def translate_over(position, delta_x, delta_y):
    return (position[0] + delta_x, position[1] + delta_y)


def get_adjacent_positions(position, dimension=None):
    buren = set()
    for (dx, dy) in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        buur = translate_over(position, dx, dy)
        if dimension is None or is_proper_position_for_board(dimension, buur):
            buren.add(buur)
    return buren


def is_adjacent_to(position, other_positions):
    for buur in get_adjacent_positions(position):
        if buur in other_positions:
            return True
    return False


def get_surrounding_positions(position, dimension=None):
    rondom = set()
    for dx in range(-1, 2):
        for dy in range(-1, 2):
            buur = translate_over(position, dx, dy)
            if buur == position:
                continue
            if dimension is None or is_proper_position_for_board(dimension, buur):
                rondom.add(buur)
    return rondom


def are_chained(positions):
    te_doen = set(positions)
    if len(te_doen) == 0:
        return True
    wachtrij = [te_doen.pop()]
    while wachtrij != []:
        huidige = wachtrij.pop()
        for buur in get_adjacent_positions(huidige):
            if buur in te_doen:
                te_doen.remove(buur)
                wachtrij.append(buur)
    # alles wat nu nog overblijft kon niet bereikt worden
    return len(te_doen) == 0


def are_chained_rec(positions, chained_positions=frozenset(), non_chainable_positions=frozenset()):
    positions = frozenset(positions)
    if len(positions) == 0:
        # niets meer te bekijken: alles moet vasthangen
        return len(non_chainable_positions) == 0
    positie = min(positions)
    rest = positions - {positie}
    if len(chained_positions) == 0 or is_adjacent_to(positie, chained_positions):
        # deze past erbij, dus wat eerst niet paste kan nu misschien wel
        return are_chained_rec(rest | non_chainable_positions, chained_positions | {positie})
    return are_chained_rec(rest, chained_positions, non_chainable_positions | {positie})
