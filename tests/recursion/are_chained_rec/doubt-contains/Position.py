def are_chained_rec(positions):
    posities = list(set(positions))
    rij = posities[:1]
    for positie in rij:
        for buur in get_adjacent_positions(positie):
            if _bevat(posities, buur) and not _bevat(rij, buur):
                rij.append(buur)
    return len(rij) == len(posities)


def _bevat(lijst, element, i=0):
    if i == len(lijst):
        return False
    return lijst[i] == element or _bevat(lijst, element, i + 1)
