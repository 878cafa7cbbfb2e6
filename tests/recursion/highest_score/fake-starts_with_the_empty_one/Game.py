def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    score, posities = highest_score(board, blocks, len(blocks))
    niveau = [(score, posities, board)]
    for blok in blocks[start:]:
        volgend = []
        for score, posities, bord in niveau:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blok, positie)
                volgend.append((score + erbij, [*posities, positie], kopie))
        niveau = volgend
    beste = (None, None)
    for score, posities, _ in niveau:
        if beste[0] is None or score > beste[0]:
            beste = (score, posities)
    return beste
