def highest_score(board, blocks, start=0):
    beste = (None, None)
    for score, posities in _alle_spelen(board, blocks, start, 0, []):
        if beste[0] is None or score > beste[0]:
            beste = (score, posities)
    return beste


def _alle_spelen(board, blocks, start, score, posities):
    if start >= len(blocks):
        yield score, posities
    else:
        for positie in Board.get_droppable_positions(board, blocks[start]):
            bord = Board.copy_board(board)
            erbij = game_move(bord, blocks[start], positie)
            yield from _alle_spelen(bord, blocks, start + 1, score + erbij, posities + [positie])
