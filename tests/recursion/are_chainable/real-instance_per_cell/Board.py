class Vak:
    def __init__(self, board, cel, alle):
        alle[cel] = self
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in alle and is_filled_at(board, buur) == is_filled_at(board, cel):
                Vak(board, buur, alle)


def are_chainable(board, positions):
    vakken = {}
    if positions:
        Vak(board, list(positions)[-1], vakken)
    return set(positions) <= vakken.keys()
