def highest_score(board, blocks, start=0):
    stapel = [(board, start, [], [])]
    beste = (None, None)
    while stapel:
        bord, index, scores, posities = stapel.pop(0)
        if index < len(blocks):
            for positie in Board.get_droppable_positions(bord, blocks[index]):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blocks[index], positie)
                stapel.append((kopie, index + 1, scores + [erbij], posities + [positie]))
        elif beste[0] is None or _som(scores) > beste[0]:
            beste = (_som(scores), posities)
    return beste


def _som(scores):
    if len(scores) == 0:
        return 0
    return scores[0] + _som(scores[1:])
