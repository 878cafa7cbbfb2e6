def are_chainable(board, positions):
    return set(positions) <= _gebied_recursief(board, list(positions)[:1])


def _gebied_recursief(board, cellen):
    for cel in cellen:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in cellen and is_filled_at(board, buur) == is_filled_at(board, cel):
                cellen.append(buur)
    return set(cellen)
