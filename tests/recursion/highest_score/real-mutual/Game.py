def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    posities = Board.get_droppable_positions(board, blocks[start])
    return _beste_van(board, blocks, start, posities)


def _beste_van(board, blocks, start, posities):
    if posities == []:
        return (None, None)
    eerste = posities[0]
    kopie = Board.copy_board(board)
    score = game_move(kopie, blocks[start], eerste)
    rest, weg = highest_score(kopie, blocks, start + 1)
    anders, andere_weg = _beste_van(board, blocks, start, posities[1:])
    if rest is None or (anders is not None and anders > score + rest):
        return (anders, andere_weg)
    return (score + rest, [eerste] + weg)
