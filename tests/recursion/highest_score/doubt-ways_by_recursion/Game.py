def highest_score(board, blocks, start=0):
    beste = (None, None)
    for weg in _wegen(board, list(blocks[start:])):
        bord = Board.copy_board(board)
        score = 0
        for index in range(len(weg)):
            score += game_move(bord, blocks[start + index], weg[index])
        if beste[0] is None or score > beste[0]:
            beste = (score, weg)
    return beste


def _wegen(board, blocks):
    if blocks == []:
        return [[]]
    wegen = []
    for positie in Board.get_droppable_positions(board, blocks[0]):
        bord = Board.copy_board(board)
        game_move(bord, blocks[0], positie)
        for weg in _wegen(bord, blocks[1:]):
            wegen.append([positie] + weg)
    return wegen
