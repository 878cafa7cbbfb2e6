_TEKST = """
def zoek(board, blocks, start):
    if start >= len(blocks):
        return (0, [])
    top, waar = None, None
    for positie in Board.get_droppable_positions(board, blocks[start]):
        kopie = Board.copy_board(board)
        score = game_move(kopie, blocks[start], positie)
        rest, posities = zoek(kopie, blocks, start + 1)
        if rest is not None and (top is None or score + rest > top):
            top, waar = score + rest, [positie] + posities
    return (top, waar)
"""


def highest_score(board, blocks, start=0):
    namen = {"Board": Board, "game_move": game_move}
    exec(_TEKST, namen)
    return namen["zoek"](board, blocks, start)
