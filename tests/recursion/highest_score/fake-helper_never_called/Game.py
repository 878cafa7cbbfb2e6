def highest_score(board, blocks, start=0):
    def backtrack(bord, index):
        if index >= len(blocks):
            return (0, [])
        for positie in Board.get_droppable_positions(bord, blocks[index]):
            backtrack(bord, index + 1)

    rij = [(0, [], board)]
    for blok in blocks[start:]:
        volgende = []
        for score, posities, bord in rij:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blok, positie)
                volgende.append((score + erbij, posities + [positie], kopie))
        rij = volgende
    beste = (None, None)
    for score, posities, _ in rij:
        if beste[0] is None or score > beste[0]:
            beste = (score, posities)
    return beste
