def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    beste_score, beste_posities = None, None
    for positie in Board.get_droppable_positions(board, blocks[start]):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], positie)
        posities = []
        if start < len(blocks) - 1:
            rest, posities = highest_score(bord, blocks, start + 1)
            if rest is None:
                continue
            score += rest
        if beste_score is None or score > beste_score:
            beste_score, beste_posities = score, [positie] + posities
    return (beste_score, beste_posities)
