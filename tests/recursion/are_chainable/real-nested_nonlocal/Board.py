def are_chainable(board, positions):
    te_vinden = set(positions)
    aantal = len(te_vinden)
    gezien = set()

    def loop(cel, toestand):
        nonlocal aantal
        gezien.add(cel)
        if cel in te_vinden:
            aantal -= 1
        for buur in sorted(Position.get_adjacent_positions(cel, dimension(board))):
            if aantal > 0 and buur not in gezien and is_filled_at(board, buur) == toestand:
                loop(buur, toestand)

    if aantal > 1:
        eerste = max(te_vinden)
        loop(eerste, is_filled_at(board, eerste))
    else:
        aantal = 0
    return aantal == 0
