def are_chained_rec(positions):
    return len(_groepen(tuple(positions))) < 2


def _groepen(positions):
    if positions == ():
        return []
    eerste = positions[0]
    nieuwe_groep = {eerste}
    apart = []
    for groep in _groepen(positions[1:]):
        if eerste in groep or is_adjacent_to(eerste, groep):
            nieuwe_groep |= groep
        else:
            apart.append(groep)
    return apart + [nieuwe_groep]
