def highest_score(board, blocks, start=0):
    stapel = [(board, start, 0, [])]
    beste = (None, None)
    while stapel:
        bord, index, score, posities = stapel.pop()
        if index >= len(blocks):
            if beste[0] is None or (score, beste[1]) >= (beste[0], posities):
                beste = (score, posities)
        else:
            for positie in Board.get_droppable_positions(bord, blocks[index]):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blocks[index], positie)
                stapel.append((kopie, index + 1, score + erbij, posities + [positie]))
    return beste
    for positie in Board.get_droppable_positions(board, blocks[start]):
        score, posities = highest_score(board, blocks, start + 1)
    return (score, posities)
