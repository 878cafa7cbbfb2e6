def are_chained_rec(positions, te_bekijken=None):
    te_gaan = set(positions)
    if te_bekijken is None:
        if len(te_gaan) <= 1:
            return True
        te_bekijken = {te_gaan.pop()}
    if len(te_gaan) == 0:
        return True
    if len(te_bekijken) == 0:
        return False
    nu = te_bekijken.pop()
    nieuw = te_gaan & get_adjacent_positions(nu)
    return are_chained_rec(te_gaan - nieuw, te_bekijken | nieuw)
