def are_chainable(board, positions):
    doelen = frozenset(positions)
    if not doelen:
        return True
    start = next(iter(doelen))
    return _tel(board, start, is_filled_at(board, start), doelen, set()) == len(doelen)


def _tel(board, cel, gevuld, doelen, geteld):
    if cel in geteld or is_filled_at(board, cel) != gevuld:
        return 0
    geteld.add(cel)
    buren = Position.get_adjacent_positions(cel, dimension(board))
    return int(cel in doelen) + sum([_tel(board, b, gevuld, doelen, geteld) for b in buren])
