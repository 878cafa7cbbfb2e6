def highest_score(board, blocks, start=0):
    aantal = len(blocks) - start
    if aantal <= 0:
        return (0, [])
    beste, waar = None, None
    borden, scores, gekozen = [board], [0], []
    keuzes = [Board.get_droppable_positions(board, blocks[start])]
    while keuzes:
        if keuzes[-1] == []:
            for lijst in (keuzes, borden, scores):
                lijst.pop()
            if gekozen:
                gekozen.pop()
            continue
        positie = keuzes[-1].pop(0)
        bord = Board.copy_board(borden[-1])
        score = scores[-1] + game_move(bord, blocks[start + len(gekozen)], positie)
        if len(gekozen) == aantal - 1:
            if beste is None or score > beste:
                beste, waar = score, gekozen + [positie]
            continue
        gekozen.append(positie)
        borden.append(bord)
        scores.append(score)
        keuzes.append(Board.get_droppable_positions(bord, blocks[start + len(gekozen)]))
    return (beste, waar)
