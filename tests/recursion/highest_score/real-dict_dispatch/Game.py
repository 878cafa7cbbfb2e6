def highest_score(board, blocks, start=0):
    return WAT[start < len(blocks)](board, blocks, start)


def _klaar(board, blocks, start):
    return (0, [])


def _verder(board, blocks, start):
    hoogste, plaatsen = None, None
    for positie in Board.get_droppable_positions(board, blocks[start]):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], positie)
        rest, andere = highest_score(bord, blocks, start + 1)
        if rest is not None and (hoogste is None or score + rest > hoogste):
            hoogste, plaatsen = score + rest, [positie] + andere
    return (hoogste, plaatsen)


WAT = {True: _verder, False: _klaar}
