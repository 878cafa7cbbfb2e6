from functools import reduce


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return (0, [])
    beter = lambda een, twee: twee if een[0] is None or (twee[0] or 0) > een[0] else een
    return reduce(
        lambda top, positie: beter(top, _na_zet(Board.copy_board(board), blocks, start, positie)),
        Board.get_droppable_positions(board, blocks[start]),
        (None, None),
    )


def _na_zet(board, blocks, start, positie):
    score = game_move(board, blocks[start], positie)
    rest, posities = highest_score(board, blocks, start + 1)
    return (rest, posities) if rest is None else (score + rest, [positie] + posities)
