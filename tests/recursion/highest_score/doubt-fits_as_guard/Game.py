def highest_score(board, blocks, start=0):
    if not _past(board, blocks, start):
        return (None, None)
    niveau = [(0, [], board)]
    for blok in blocks[start:]:
        volgend = []
        for score, posities, bord in niveau:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                volgend.append((score + game_move(kopie, blok, positie), posities + [positie], kopie))
        niveau = volgend
    score, posities, _ = max(niveau, key=lambda spel: spel[0])
    return (score, posities)


def _past(board, blocks, start):
    if start >= len(blocks):
        return True
    for positie in Board.get_droppable_positions(board, blocks[start]):
        kopie = Board.copy_board(board)
        game_move(kopie, blocks[start], positie)
        if _past(kopie, blocks, start + 1):
            return True
    return False
