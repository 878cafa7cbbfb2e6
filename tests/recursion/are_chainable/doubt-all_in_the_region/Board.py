def are_chainable(board, positions):
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return _alle_in(list(positions), gebied)


def _alle_in(positions, gebied):
    if positions == []:
        return True
    return positions[0] in gebied and _alle_in(positions[1:], gebied)
