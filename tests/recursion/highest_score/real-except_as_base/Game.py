def highest_score(board, blocks, start=0):
    try:
        blok = blocks[start]
    except IndexError:
        return (0, [])
    hoogste, waar = None, None
    for positie in Board.get_droppable_positions(board, blok):
        bord = Board.copy_board(board)
        score = game_move(bord, blok, positie)
        try:
            rest, posities = highest_score(bord, blocks, start + 1)
            if hoogste is None or score + rest > hoogste:
                hoogste, waar = score + rest, [positie, *posities]
        except TypeError:
            pass
    return (hoogste, waar)
