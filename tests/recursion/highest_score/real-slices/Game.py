def highest_score(board, blocks, start=0):
    over = blocks[start:]
    if len(over) == 0:
        return (0, [])
    beste_score, beste_posities = None, None
    for positie in Board.get_droppable_positions(board, over[0]):
        volgend_bord = Board.copy_board(board)
        score = game_move(volgend_bord, over[0], positie)
        andere_score, andere = highest_score(volgend_bord, over[1:])
        if andere_score is None:
            continue
        if beste_score is None or andere_score + score > beste_score:
            beste_score, beste_posities = andere_score + score, [positie] + andere
    return (beste_score, beste_posities)
