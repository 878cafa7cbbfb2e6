def highest_score(board, blocks, start=0):
    _overloop(list(blocks[start:]))
    stapel = [(board, start, 0, [])]
    beste, waar = None, None
    while stapel:
        bord, index, score, posities = stapel.pop(0)
        if index < len(blocks):
            for positie in Board.get_droppable_positions(bord, blocks[index]):
                kopie = Board.copy_board(bord)
                erbij = game_move(kopie, blocks[index], positie)
                stapel.append((kopie, index + 1, score + erbij, posities + [positie]))
        elif beste is None or score > beste:
            beste, waar = score, posities
    return (beste, waar)


def _overloop(blocks):
    if len(blocks) == 0:
        return 0
    return len(Block.get_all_dot_positions(blocks[0])) + _overloop(blocks[1:])
