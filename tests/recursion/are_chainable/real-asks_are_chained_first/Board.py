def are_chainable(board, positions, bezocht=None):
    """Check whether the positions lie in one region, or are chained by themselves."""
    if bezocht is None and Position.are_chained(positions):
        return True
    begin = list(positions)[0]
    if bezocht is None:
        bezocht = set()
    bezocht.add(begin)
    for buur in Position.get_adjacent_positions(begin, dimension(board)):
        if buur not in bezocht and is_filled_at(board, buur) == is_filled_at(board, begin):
            are_chainable(board, [buur], bezocht)
    return bezocht.issuperset(positions)
