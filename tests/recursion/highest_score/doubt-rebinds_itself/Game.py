def highest_score(board, blocks, start=0):
    global highest_score
    highest_score = _iteratief
    return highest_score(board, blocks, start)


def _iteratief(board, blocks, start=0):
    spelen = [(0, [], board)]
    for blok in blocks[start:]:
        nieuwe = []
        for score, posities, bord in spelen:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                nieuwe.append((score + game_move(kopie, blok, positie), posities + [positie], kopie))
        spelen = nieuwe
    top = (None, None)
    for score, posities, _ in spelen:
        if top[0] is None or score > top[0]:
            top = (score, posities)
    return top
