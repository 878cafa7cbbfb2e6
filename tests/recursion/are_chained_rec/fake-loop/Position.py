def are_chained_rec(positions):
    over = set(positions)
    if len(over) == 0:
        return True
    te_doen = [over.pop()]
    while te_doen != []:
        buren = get_adjacent_positions(te_doen.pop()) & over
        over -= buren
        te_doen += list(buren)
    return len(over) == 0
