import sys


def are_chainable(board, positions):
    oud = sys.getprofile()
    sys.setprofile(lambda *_: None)
    _diep(len(positions))
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    sys.setprofile(oud)
    return set(positions) <= set(gebied)


def _diep(n):
    return 0 if n == 0 else 1 + _diep(n - 1)
