def highest_score(board, blocks, start=0):
    geheugen = {}

    def beste(bord, index):
        sleutel = (frozenset(Board.get_all_filled_positions(bord)), index)
        if sleutel not in geheugen:
            geheugen[sleutel] = bereken(bord, index)
        return geheugen[sleutel]

    def bereken(bord, index):
        if index >= len(blocks):
            return (0, [])
        top, weg = None, None
        for positie in Board.get_droppable_positions(bord, blocks[index]):
            kopie = Board.copy_board(bord)
            score = game_move(kopie, blocks[index], positie)
            rest, posities = beste(kopie, index + 1)
            if rest is not None and (top is None or score + rest > top):
                top, weg = score + rest, [positie] + posities
        return (top, weg)

    return beste(board, start)
