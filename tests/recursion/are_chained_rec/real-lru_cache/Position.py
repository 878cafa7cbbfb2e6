from functools import lru_cache


@lru_cache(maxsize=None)
def _samen(over, rand):
    if not over:
        return True
    raakt = over & rand
    if not raakt:
        return False
    eerste = min(raakt)
    return _samen(over - {eerste}, rand | frozenset(get_adjacent_positions(eerste)))


def are_chained_rec(positions):
    over = frozenset(positions)
    return _samen(over, frozenset([min(over)] if over else []))
