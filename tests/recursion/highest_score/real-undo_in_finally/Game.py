def highest_score(board, blocks, start=0):
    if not start < len(blocks):
        return (0, [])
    blok = blocks[start]
    gevuld = Board.get_all_filled_positions(board)
    mogelijk = []
    for positie in Board.get_droppable_positions(board, blok):
        try:
            score = game_move(board, blok, positie)
            rest, posities = highest_score(board, blocks, start + 1)
        finally:
            for cel in Board.get_all_filled_positions(board) - gevuld:
                Board.free_cell(board, cel)
            Board.fill_all_cells(board, gevuld)
        if posities is not None:
            mogelijk.append((-(score + rest), [positie, *posities]))
    if mogelijk == []:
        return (None, None)
    return (-min(mogelijk)[0], min(mogelijk)[1])
