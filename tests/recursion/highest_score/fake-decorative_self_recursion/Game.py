def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    highest_score(board, blocks, start + 1)
    niveau = {(): (0, board)}
    for index in range(start, len(blocks)):
        volgend = {}
        for weg in niveau:
            score, bord = niveau[weg]
            for positie in Board.get_droppable_positions(bord, blocks[index]):
                kopie = Board.copy_board(bord)
                volgend[weg + (positie,)] = (score + game_move(kopie, blocks[index], positie), kopie)
        niveau = volgend
    beste, waar = None, None
    for weg in niveau:
        if beste is None or niveau[weg][0] > beste:
            beste, waar = niveau[weg][0], list(weg)
    return (beste, waar)
