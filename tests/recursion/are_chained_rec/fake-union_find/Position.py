def are_chained_rec(positions):
    ouder = {}
    for positie in positions:
        ouder[positie] = positie
    for positie in ouder:
        for buur in get_adjacent_positions(positie):
            if buur in ouder:
                ouder[_wortel(ouder, buur)] = _wortel(ouder, positie)
    wortels = set()
    for positie in ouder:
        wortels.add(_wortel(ouder, positie))
    return len(wortels) <= 1


def _wortel(ouder, positie):
    while ouder[positie] != positie:
        positie = ouder[positie]
    return positie
