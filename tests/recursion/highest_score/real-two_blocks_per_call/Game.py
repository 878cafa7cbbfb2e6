def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    beste = (None, None)
    for eerste in Board.get_droppable_positions(board, blocks[start]):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], eerste)
        if start == len(blocks) - 1:
            if beste[0] is None or score > beste[0]:
                beste = (score, [eerste])
            continue
        for tweede in Board.get_droppable_positions(bord, blocks[start + 1]):
            volgend = Board.copy_board(bord)
            samen = score + game_move(volgend, blocks[start + 1], tweede)
            rest, posities = highest_score(volgend, blocks, start + 2)
            if rest is not None and (beste[0] is None or samen + rest > beste[0]):
                beste = (samen + rest, [eerste, tweede] + posities)
    return beste
