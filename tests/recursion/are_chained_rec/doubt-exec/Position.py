_BRON = """
def _samen(over, rand):
    kan = over & rand if rand else over
    if not kan:
        return not over
    p = min(kan)
    return _samen(over - {p}, rand | get_adjacent_positions(p))
"""


def are_chained_rec(positions):
    ruimte = {"get_adjacent_positions": get_adjacent_positions}
    exec(_BRON, ruimte)
    return ruimte["_samen"](frozenset(positions), frozenset())
