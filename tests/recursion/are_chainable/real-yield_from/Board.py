def are_chainable(board, positions):
    over = set(positions)
    if over:
        over.difference_update(_gebied(board, min(over), set()))
    return not over


def _gebied(board, cel, gezien):
    gezien.add(cel)
    yield cel
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        if buur not in gezien and is_filled_at(board, buur) == is_filled_at(board, cel):
            yield from _gebied(board, buur, gezien)
