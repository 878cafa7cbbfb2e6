from functools import wraps


def als_set(functie):
    @wraps(functie)
    def met_set(board, positions, *rest):
        return functie(board, set(positions), *rest)

    return met_set


@als_set
def are_chainable(board, positions, gebied=frozenset()):
    if len(positions) <= 1:
        return True
    gebied = gebied or frozenset({min(positions)})
    groter = set(gebied)
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if is_filled_at(board, buur) == is_filled_at(board, cel):
                groter.add(buur)
    if positions <= groter:
        return True
    if len(groter) == len(gebied):
        return False
    return are_chainable(board, positions, frozenset(groter))
