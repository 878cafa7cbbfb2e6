def are_chainable(board, positions):
    gezien = set()
    ga = lambda cel, gevuld: [
        gezien.add(buur) or ga(buur, gevuld)
        for buur in Position.get_adjacent_positions(cel, dimension(board))
        if buur not in gezien and is_filled_at(board, buur) == gevuld
    ]
    if len(positions) > 1:
        eerste = tuple(positions)[0]
        ga(eerste, is_filled_at(board, eerste))
        return gezien | {eerste} >= set(positions)
    return True
