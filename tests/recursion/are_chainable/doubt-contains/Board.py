def are_chainable(board, positions):
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if is_filled_at(board, buur) == is_filled_at(board, cel):
                if not _zit_in(buur, gebied):
                    gebied.append(buur)
    for positie in positions:
        if not _zit_in(positie, gebied):
            return False
    return True


def _zit_in(cel, lijst):
    if len(lijst) == 0:
        return False
    if lijst[-1] == cel:
        return True
    return _zit_in(cel, lijst[:-1])
