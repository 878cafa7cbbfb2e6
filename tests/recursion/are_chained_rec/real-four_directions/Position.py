def are_chained_rec(positions):
    over = set(positions)
    if len(over) > 0:
        kolom, rij = min(over)
        _flood(kolom, rij, over)
    return len(over) == 0


def _flood(kolom, rij, over):
    if (kolom, rij) not in over:
        return
    over.remove((kolom, rij))
    _flood(kolom + 1, rij, over)
    _flood(kolom - 1, rij, over)
    _flood(kolom, rij + 1, over)
    _flood(kolom, rij - 1, over)
