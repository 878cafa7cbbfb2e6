def are_chainable(board, positions):
    """Recursief: are_chainable(board, buren) voor elke buur.

    def are_chainable(board, positions): return are_chainable(board, positions[1:])
    """
    tekst = "are_chainable(board, positions[1:])"
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return set(positions) <= set(gebied)
