def highest_score(board, blocks, start=0):
    recursive_stack = [(board, start, 0, [])]
    beste = (None, None)
    while recursive_stack:
        bord, index, score, posities = recursive_stack.pop()
        if index >= len(blocks):
            if beste[0] is None or score > beste[0]:
                beste = (score, posities)
            continue
        for positie in reversed(Board.get_droppable_positions(bord, blocks[index])):
            kopie = Board.copy_board(bord)
            erbij = game_move(kopie, blocks[index], positie)
            recursive_stack.append((kopie, index + 1, score + erbij, posities + [positie]))
    return beste
