def are_chained_rec(positions, groep=None):
    over = list(positions)
    if over == []:
        return True
    if groep is None:
        return are_chained_rec(over[1:], over[:1])
    nieuw = []
    rest = []
    for positie in over:
        if positie in groep or is_adjacent_to(positie, groep):
            nieuw.append(positie)
        else:
            rest.append(positie)
    if nieuw == []:
        return False
    return are_chained_rec(rest, nieuw)
