from functools import wraps


def zonder_blokken_niets(functie):
    @wraps(functie)
    def omhulsel(board, blocks, start=0):
        if start >= len(blocks):
            return (0, [])
        return functie(board, blocks, start)

    return omhulsel


@zonder_blokken_niets
def highest_score(board, blocks, start=0):
    beste = (None, None)
    for positie in Board.get_droppable_positions(board, blocks[start]):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], positie)
        rest, posities = highest_score(bord, blocks, start + 1)
        if rest is not None and (beste[0] is None or score + rest > beste[0]):
            beste = (score + rest, [positie] + posities)
    return beste
