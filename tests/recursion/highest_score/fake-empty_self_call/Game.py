def highest_score(board, blocks, start=0):
    if start < len(blocks):
        highest_score(board, [])
    niveau = [(0, [], board)]
    for index in range(start, len(blocks)):
        niveau = [
            (score + game_move(kopie, blocks[index], positie), posities + [positie], kopie)
            for score, posities, bord in niveau
            for positie in Board.get_droppable_positions(bord, blocks[index])
            for kopie in [Board.copy_board(bord)]
        ]
    if len(niveau) == 0:
        return (None, None)
    score, posities, _ = max(niveau, key=lambda spel: spel[0])
    return (score, posities)
