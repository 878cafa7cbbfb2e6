def are_chainable(board, positions):
    rij = list(positions)
    if len(rij) <= 1:
        return True
    midden = len(rij) // 2
    links, rechts = rij[:midden], rij[midden:]
    if not are_chainable(board, links) or not are_chainable(board, rechts):
        return False
    return _verbonden(board, links[-1], rechts[0], [])


def _verbonden(board, cel, doel, pad):
    if cel == doel:
        return True
    pad.append(cel)
    return any(
        [
            _verbonden(board, buur, doel, pad)
            for buur in Position.get_adjacent_positions(cel, dimension(board))
            if buur not in pad and is_filled_at(board, buur) == is_filled_at(board, doel)
        ]
    )
