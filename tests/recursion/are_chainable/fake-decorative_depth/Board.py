def are_chainable(board, positions):
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    _controleer(board, list(positions))
    return set(positions) <= set(gebied)


def _controleer(board, positions):
    if len(positions) > 0:
        is_filled_at(board, positions[0])
        return _controleer(board, positions[1:])
    return True
