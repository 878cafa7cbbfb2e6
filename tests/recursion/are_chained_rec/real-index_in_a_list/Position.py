def are_chained_rec(positions):
    over = set(positions)
    if not over:
        return True
    rij = [over.pop()]
    _volg(rij, 0, over)
    return len(over) == 0


def _volg(rij, i, over):
    if i == len(rij):
        return
    buren = get_adjacent_positions(rij[i]) & over
    over -= buren
    rij.extend(buren)
    _volg(rij, i + 1, over)
