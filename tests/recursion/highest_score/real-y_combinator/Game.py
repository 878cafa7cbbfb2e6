def highest_score(board, blocks, start=0):
    zoek = lambda zelf, bord, i: (
        (0, [])
        if i >= len(blocks)
        else max(
            (
                (score + verder[0], [positie] + verder[1])
                for positie in Board.get_droppable_positions(bord, blocks[i])
                for kopie in [Board.copy_board(bord)]
                for score in [game_move(kopie, blocks[i], positie)]
                for verder in [zelf(zelf, kopie, i + 1)]
                if verder[0] is not None
            ),
            key=lambda uitkomst: uitkomst[0],
            default=(None, None),
        )
    )
    return zoek(zoek, board, start)
