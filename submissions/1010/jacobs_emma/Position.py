# Emma Jacobs - practicum MI
"""Module met functies op posities."""


def is_proper_position(position):
    """Ga na of de gegeven waarde een positie is."""
    if isinstance(position, tuple):
        if len(position) == 2:
            kolom = position[0]
            rij = position[1]
            if isinstance(kolom, int) and isinstance(rij, int):
                return True
    return False


def is_proper_position_for_board(dimension, position):
    """Ga na of de positie op een bord met de gegeven dimensie ligt."""
    if isinstance(dimension, int) and dimension > 0 and is_proper_position(position):
        if position[0] >= 1 and position[0] <= dimension:
            if position[1] >= 1 and position[1] <= dimension:
                return True
    return False


def op_het_bord(dimension, position):
    """Geef de positie terug als ze op het bord ligt, anders None."""
    if is_proper_position_for_board(dimension, position):
        return position


def left(dimension, position):
    """Positie links."""
    k, r = position
    return op_het_bord(dimension, (k - 1, r))


def right(dimension, position):
    """Positie rechts."""
    k, r = position
    return op_het_bord(dimension, (k + 1, r))


def up(dimension, position):
    """Positie boven."""
    k, r = position
    return op_het_bord(dimension, (k, r + 1))


def down(dimension, position):
    """Positie onder."""
    k, r = position
    return op_het_bord(dimension, (k, r - 1))


def next(dimension, position):
    """Volgende positie: eerst naar rechts, op het einde van de rij naar boven."""
    k, r = position
    if k < dimension:
        return (k + 1, r)
    elif r < dimension:
        return (1, r + 1)


def translate_over(position, delta_x, delta_y):
    """Verschuif de positie."""
    k, r = position
    return (k + delta_x, r + delta_y)


def get_adjacent_positions(position, dimension=None):
    """Alle buren (niet schuin)."""
    k, r = position
    kandidaten = [(k - 1, r), (k + 1, r), (k, r - 1), (k, r + 1)]
    resultaat = set()
    for kandidaat in kandidaten:
        if dimension == None or is_proper_position_for_board(dimension, kandidaat):
            resultaat.add(kandidaat)
    return resultaat


def is_adjacent_to(position, other_positions):
    """Ga na of de positie naast een van de andere ligt."""
    for andere in other_positions:
        if andere in get_adjacent_positions(position):
            return True
    return False


def get_surrounding_positions(position, dimension=None):
    """Alle buren, ook schuin."""
    k, r = position
    resultaat = get_adjacent_positions(position, dimension)
    for schuin in [(k - 1, r - 1), (k - 1, r + 1), (k + 1, r - 1), (k + 1, r + 1)]:
        if dimension == None or is_proper_position_for_board(dimension, schuin):
            resultaat.add(schuin)
    return resultaat


def are_chained(positions):
    """Ga na of de posities aan elkaar hangen."""
    over = list(set(positions))
    if len(over) <= 1:
        return True
    groep = [over[0]]
    over.remove(over[0])
    gevonden = True
    # zolang er iets bij de groep komt, blijven we zoeken
    while gevonden:
        gevonden = False
        for positie in list(over):
            if is_adjacent_to(positie, groep):
                groep.append(positie)
                over.remove(positie)
                gevonden = True
    return over == []


def are_chained_rec(positions, groep=frozenset(), gevonden=True):
    """Zelfde als are_chained, maar recursief."""
    over = frozenset(positions) - groep
    if len(over) == 0:
        return True
    if len(groep) == 0:
        return are_chained_rec(over, frozenset([min(over)]))
    buren = over & alle_buren(tuple(groep))
    if len(buren) == 0:
        return False
    return are_chained_rec(over, groep | buren)


def alle_buren(posities):
    """Alle buren van al deze posities, ook recursief."""
    if posities == ():
        return set()
    return get_adjacent_positions(posities[0]) | alle_buren(posities[1:])
