def are_chained_rec(positions):
    over = frozenset(positions)
    begin = min(over, default=None)

    def vreet(positie):
        nonlocal over
        if positie in over:
            over = over - {positie}
            x, y = positie
            vreet((x, y + 1))
            vreet((x, y - 1))
            vreet((x + 1, y))
            vreet((x - 1, y))

    if begin is not None:
        vreet(begin)
    return over == frozenset()
