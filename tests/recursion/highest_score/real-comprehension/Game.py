def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    opties = [
        optie
        for positie in Board.get_droppable_positions(board, blocks[start])
        for optie in [_met(board, blocks, start, positie)]
        if optie[0] is not None
    ]
    return max(opties, key=lambda optie: optie[0], default=(None, None))


def _met(board, blocks, start, positie):
    kopie = Board.copy_board(board)
    punten = game_move(kopie, blocks[start], positie)
    rest, posities = highest_score(kopie, blocks, start + 1)
    return (None, None) if rest is None else (punten + rest, [positie, *posities])
