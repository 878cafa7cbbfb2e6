def highest_score(board, blocks, start=0):
    if Board.dimension(board) < 1:
        rest, posities = highest_score(board, blocks, start + 1)
        return (rest + 1, posities)
    return _zonder_recursie(board, blocks[start:])


def _zonder_recursie(board, blocks):
    stapel = [(board, 0, [])]
    beste = (None, None)
    while stapel:
        bord, score, posities = stapel.pop(0)
        if len(posities) == len(blocks):
            if beste[0] is None or score > beste[0]:
                beste = (score, posities)
        else:
            blok = blocks[len(posities)]
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blok, positie)
                stapel.append((kopie, score + erbij, posities + [positie]))
    return beste
