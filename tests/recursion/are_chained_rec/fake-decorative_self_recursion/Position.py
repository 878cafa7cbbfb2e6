def are_chained_rec(positions):
    posities = list(positions)
    if len(posities) > 0:
        are_chained_rec(posities[1:])
    over = set(posities)
    rij = posities[:1]
    over.difference_update(rij)
    for positie in rij:
        buren = over & get_adjacent_positions(positie)
        over -= buren
        rij.extend(sorted(buren))
    return len(over) == 0
