from functools import partial


def highest_score(board, blocks, start=0):
    return _speel(blocks, board, start)


def _speel(blocks, board, start):
    if start >= len(blocks):
        return (0, [])
    verder = partial(_speel, blocks)
    top, plaatsen = None, None
    for positie in Board.get_droppable_positions(board, blocks[start]):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], positie)
        rest, posities = verder(bord, start + 1)
        if rest is not None and (top is None or top < score + rest):
            top, plaatsen = score + rest, [positie, *posities]
    return (top, plaatsen)
