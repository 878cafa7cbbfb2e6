def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    beste_score = None
    beste_posities = None
    for positie in Board.get_droppable_positions(board, blocks[start]):
        kopie = Board.copy_board(board)
        score = game_move(kopie, blocks[start], positie)
        rest_score, rest_posities = highest_score(kopie, blocks, start + 1)
        if rest_score is not None:
            if beste_score is None or score + rest_score > beste_score:
                beste_score = score + rest_score
                beste_posities = [positie] + rest_posities
    return (beste_score, beste_posities)
