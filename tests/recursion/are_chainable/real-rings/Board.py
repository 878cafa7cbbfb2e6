def are_chainable(board, positions, gebied=frozenset(), rand=frozenset()):
    te_vinden = set(positions) - gebied
    if te_vinden == set():
        return True
    if not gebied:
        start = frozenset({min(te_vinden)})
        return are_chainable(board, positions, start, start)
    if not rand:
        return False
    ring = set()
    for cel in rand:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                ring.add(buur)
    return are_chainable(board, positions, gebied | ring, frozenset(ring))
