def are_chainable(board, positions):
    gebied = set()
    list(map(lambda p: _kleur(board, p, gebied), list(positions)[:1]))
    return gebied >= set(positions)


def _kleur(board, cel, gebied):
    gebied.add(cel)
    zelfde = filter(
        lambda b: b not in gebied and is_filled_at(board, b) == is_filled_at(board, cel),
        Position.get_adjacent_positions(cel, dimension(board)),
    )
    list(map(lambda b: _kleur(board, b, gebied), zelfde))
