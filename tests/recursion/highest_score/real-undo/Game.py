def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return 0, []
    voordien = Board.get_all_filled_positions(board)
    beste = (None, None)
    for positie in Board.get_droppable_positions(board, blocks[start]):
        score = game_move(board, blocks[start], positie)
        rest, posities = highest_score(board, blocks, start + 1)
        if rest is not None and (beste[0] is None or score + rest > beste[0]):
            beste = score + rest, [positie] + posities
        Board.free_all_cells(board, list(Board.get_all_filled_positions(board)))
        Board.fill_all_cells(board, voordien)
    return beste
