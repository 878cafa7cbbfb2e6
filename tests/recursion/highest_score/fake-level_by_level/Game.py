def highest_score(board, blocks, start=0):
    borden = [(0, [], board)]
    for blok in blocks[start:]:
        beste_per_bord = {}
        for score, posities, bord in borden:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                nieuw = score + game_move(kopie, blok, positie)
                sleutel = frozenset(Board.get_all_filled_positions(kopie))
                weg = posities + [positie]
                if sleutel not in beste_per_bord or (-nieuw, weg) < beste_per_bord[sleutel][0]:
                    beste_per_bord[sleutel] = ((-nieuw, weg), kopie)
        borden = [(-s, weg, kopie) for (s, weg), kopie in beste_per_bord.values()]
    if borden == []:
        return (None, None)
    score, posities = min((-score, posities) for score, posities, _ in borden)
    return (-score, posities)
