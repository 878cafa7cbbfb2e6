def highest_score(board, blocks, start=0):
    stap = lambda: _stap(blocks, [(board, start, 0, [])], (None, None))
    while True:
        stap = stap()
        if isinstance(stap, tuple):
            return stap


def _stap(blocks, te_doen, beste):
    if not te_doen:
        return beste
    bord, index, score, posities = te_doen[0]
    if index >= len(blocks):
        if beste[0] is None or score > beste[0]:
            beste = (score, posities)
        return lambda: _stap(blocks, te_doen[1:], beste)
    nieuw = []
    for positie in Board.get_droppable_positions(bord, blocks[index]):
        kopie = Board.copy_board(bord)
        erbij = game_move(kopie, blocks[index], positie)
        nieuw.append((kopie, index + 1, score + erbij, posities + [positie]))
    return lambda: _stap(blocks, nieuw + te_doen[1:], beste)
