def are_chainable(board, positions):
    rij = list(positions)
    if len(rij) > 1:
        are_chainable(board, rij[1:])
    gebied = set(rij[:1])
    rand = set(rij[:1])
    while rand:
        cel = rand.pop()
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.add(buur)
                rand.add(buur)
    return gebied.issuperset(rij)
