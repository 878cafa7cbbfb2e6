def highest_score(board, blocks, start=0):
    beste = [None, None]
    _zoek(board, blocks, start, 0, [], beste)
    return (beste[0], beste[1])


def _zoek(board, blocks, index, score, posities, beste):
    if index >= len(blocks):
        if beste[0] is None or score > beste[0]:
            beste[0] = score
            beste[1] = list(posities)
        return
    for positie in Board.get_droppable_positions(board, blocks[index]):
        kopie = Board.copy_board(board)
        erbij = game_move(kopie, blocks[index], positie)
        posities.append(positie)
        _zoek(kopie, blocks, index + 1, score + erbij, posities, beste)
        posities.pop()
