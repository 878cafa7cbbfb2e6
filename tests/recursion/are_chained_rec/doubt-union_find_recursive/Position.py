def are_chained_rec(positions):
    ouder = {}
    for positie in sorted(set(positions)):
        ouder[positie] = positie
    for positie in ouder:
        for buur in get_adjacent_positions(positie):
            if buur in ouder:
                ouder[_wortel(ouder, buur)] = _wortel(ouder, positie)
    return len({_wortel(ouder, positie) for positie in ouder}) <= 1


def _wortel(ouder, positie):
    if ouder[positie] == positie:
        return positie
    return _wortel(ouder, ouder[positie])
