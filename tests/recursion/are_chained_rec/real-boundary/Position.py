def are_chained_rec(positions, rand=None):
    rest = set(positions)
    if len(rest) == 0:
        return True
    if rand is None:
        bereikbaar = rest
        rand = set()
    else:
        bereikbaar = rest & rand
    if len(bereikbaar) == 0:
        return False
    positie = bereikbaar.pop()
    return are_chained_rec(rest - {positie}, rand | get_adjacent_positions(positie))
