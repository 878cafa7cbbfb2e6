def are_chained_rec(positions):
    return _are_chained_rec(list(positions))


def _are_chained_rec(positions):
    keten = set(positions[:1])
    veranderd = True
    while veranderd:
        veranderd = False
        for positie in positions:
            if positie not in keten and is_adjacent_to(positie, keten):
                keten.add(positie)
                veranderd = True
    return keten == set(positions)
