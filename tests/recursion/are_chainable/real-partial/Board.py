from functools import partial


def are_chainable(board, positions):
    gezien = set()
    verken = partial(_verken_vanaf, board, gezien)
    if len(positions) > 1:
        verken(sorted(positions)[0])
        return set(positions).issubset(gezien)
    return True


def _verken_vanaf(board, gezien, cel):
    verder = partial(_verken_vanaf, board, gezien)
    gezien.add(cel)
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        if is_filled_at(board, buur) == is_filled_at(board, cel) and buur not in gezien:
            verder(buur)
