def highest_score(board, blocks, start=0):
    if len(blocks) <= start:
        return (0, [])

    def speel(positie):
        bord = Board.copy_board(board)
        score = game_move(bord, blocks[start], positie)
        verder = highest_score(bord, blocks, start + 1)
        return None if verder[0] is None else (score + verder[0], [positie] + verder[1])

    gespeeld = map(speel, Board.get_droppable_positions(board, blocks[start]))
    volledig = [resultaat for resultaat in gespeeld if resultaat is not None]
    volledig = sorted(volledig, key=lambda resultaat: -resultaat[0])
    return volledig[0] if volledig else (None, None)
