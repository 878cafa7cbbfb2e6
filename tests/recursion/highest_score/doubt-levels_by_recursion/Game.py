def highest_score(board, blocks, start=0):
    return _niveau([(0, [], board)], list(blocks[start:]))


def _niveau(spelen, blocks):
    if blocks == []:
        beste = (None, None)
        for score, posities, _ in spelen:
            if beste[0] is None or score > beste[0]:
                beste = (score, posities)
        return beste
    volgend = []
    for score, posities, bord in spelen:
        for positie in Board.get_droppable_positions(bord, blocks[0]):
            kopie = Board.copy_board(bord)
            erbij = game_move(kopie, blocks[0], positie)
            volgend.append((score + erbij, posities + [positie], kopie))
    return _niveau(volgend, blocks[1:])
