def are_chainable(board, positions):
    if len(positions) == 0:
        return True
    kopie = copy_board(board)
    eerste = list(positions)[0]
    if is_filled_at(board, eerste):
        _maak_anders(kopie, eerste, True)
    else:
        _maak_anders(kopie, eerste, False)
    for positie in positions:
        if is_filled_at(kopie, positie) == is_filled_at(board, positie):
            return False
    return True


def _maak_anders(board, cel, gevuld):
    if is_filled_at(board, cel) != gevuld:
        return
    if gevuld:
        free_cell(board, cel)
    else:
        fill_cell(board, cel)
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        _maak_anders(board, buur, gevuld)
