from functools import lru_cache


def highest_score(board, blocks, start=0):
    @lru_cache(maxsize=None)
    def zoek(gevuld, index):
        if index >= len(blocks):
            return (0, ())
        resultaten = []
        bord = Board.make_board(Board.dimension(board), gevuld)
        for positie in Board.get_droppable_positions(bord, blocks[index]):
            na = Board.copy_board(bord)
            score = game_move(na, blocks[index], positie)
            verder = zoek(frozenset(Board.get_all_filled_positions(na)), index + 1)
            if verder is not None:
                resultaten.append((score + verder[0], (positie,) + verder[1]))
        return max(resultaten, key=lambda r: r[0]) if resultaten else None

    gevonden = zoek(frozenset(Board.get_all_filled_positions(board)), start)
    if gevonden is None:
        return (None, None)
    return (gevonden[0], list(gevonden[1]))
