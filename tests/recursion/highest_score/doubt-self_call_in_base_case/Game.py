def highest_score(board, blocks, start=0):
    if start > len(blocks):
        return highest_score(board, blocks, len(blocks))
    spelen = [(0, [], board)]
    while len(spelen) > 0 and len(spelen[0][1]) < len(blocks) - start:
        blok = blocks[start + len(spelen[0][1])]
        nieuwe = []
        for score, posities, bord in spelen:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                nieuwe.append((score + game_move(kopie, blok, positie), posities + [positie], kopie))
        spelen = nieuwe
    top = (None, None)
    for score, posities, _ in spelen:
        if top[0] is None or top[0] < score:
            top = (score, posities)
    return top
