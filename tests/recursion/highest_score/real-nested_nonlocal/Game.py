def highest_score(board, blocks, start=0):
    beste, beste_weg = None, None

    def probeer(bord, nummer, punten, weg):
        nonlocal beste, beste_weg
        if nummer >= len(blocks):
            if beste is None or punten > beste:
                beste, beste_weg = punten, weg
            return
        for positie in Board.get_droppable_positions(bord, blocks[nummer]):
            nieuw = Board.copy_board(bord)
            erbij = game_move(nieuw, blocks[nummer], positie)
            probeer(nieuw, nummer + 1, punten + erbij, weg + [positie])

    probeer(board, start, 0, [])
    return (beste, beste_weg)
