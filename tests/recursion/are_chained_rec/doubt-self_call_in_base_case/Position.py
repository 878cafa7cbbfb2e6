def are_chained_rec(positions):
    posities = set(positions)
    if len(posities) == 0:
        return True
    if len(posities) == 1:
        return are_chained_rec(posities - {min(posities)})
    keten = {min(posities)}
    vorige = set()
    while keten != vorige:
        vorige = set(keten)
        for positie in vorige:
            keten |= get_adjacent_positions(positie) & posities
    return keten == posities
