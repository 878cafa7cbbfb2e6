def highest_score(board, blocks, start=0):
    stapel = [(board, start, 0, [])]
    beste = (None, None)
    while stapel:
        bord, index, score, posities = stapel.pop(0)
        if index >= len(blocks):
            if beste[0] is None or score > beste[0]:
                beste = (score, posities)
            continue
        try:
            blok = blocks[index]
        except IndexError:
            return highest_score(board, blocks, start + 1)
        for positie in Board.get_droppable_positions(bord, blok):
            kopie = Board.copy_board(bord)
            erbij = game_move(kopie, blok, positie)
            stapel.append((kopie, index + 1, score + erbij, posities + [positie]))
    return beste
