def are_chained_rec(positions, rand=None):
    over = frozenset(positions)
    kan = over if rand is None else over & rand
    return GEVALLEN[(len(over) > 0, len(kan) > 0)](over, kan, rand or frozenset())


def _gelukt(over, kan, rand):
    return True


def _mislukt(over, kan, rand):
    return False


def _neem_er_een(over, kan, rand):
    positie = max(kan)
    return are_chained_rec(over - {positie}, rand | get_adjacent_positions(positie))


GEVALLEN = {(False, False): _gelukt, (True, False): _mislukt, (True, True): _neem_er_een}
