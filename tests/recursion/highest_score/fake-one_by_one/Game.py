def highest_score(board, blocks, start=0):
    if len(blocks) - start == 1:
        beste = (None, None)
        for positie in Board.get_droppable_positions(board, blocks[start]):
            score = game_move(Board.copy_board(board), blocks[start], positie)
            if beste[0] is None or score > beste[0]:
                beste = (score, [positie])
        return beste
    spelen = [(0, [], board)]
    for blok in blocks[start:]:
        nieuwe = []
        for score, posities, bord in spelen:
            if highest_score(bord, [blok])[0] is None:
                continue
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                nieuwe.append((score + game_move(kopie, blok, positie), posities + [positie], kopie))
        spelen = nieuwe
    top = (None, None)
    for score, posities, _ in spelen:
        if top[0] is None or score > top[0]:
            top = (score, posities)
    return top
