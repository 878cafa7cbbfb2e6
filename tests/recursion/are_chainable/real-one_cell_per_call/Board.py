def are_chainable(board, positions, te_doen=None, gezien=None):
    if te_doen is None:
        gezien = list(positions)[:1]
        te_doen = gezien
    if te_doen == []:
        return set(positions) <= set(gezien)
    cel = te_doen[0]
    nieuw = []
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        if is_filled_at(board, buur) is is_filled_at(board, cel) and buur not in gezien:
            nieuw.append(buur)
    return are_chainable(board, positions, te_doen[1:] + nieuw, gezien + nieuw)
