class Speler:
    def __init__(self, blocks):
        self.blocks = blocks
        self.record = None
        self.zetten = None

    def speel(self, board, index, score, zetten):
        if index >= len(self.blocks):
            if self.record is None or self.record < score:
                self.record = score
                self.zetten = zetten
        else:
            blok = self.blocks[index]
            for positie in Board.get_droppable_positions(board, blok):
                bord = Board.copy_board(board)
                punten = game_move(bord, blok, positie)
                self.speel(bord, index + 1, score + punten, zetten + [positie])


def highest_score(board, blocks, start=0):
    speler = Speler(blocks)
    speler.speel(board, start, 0, [])
    return (speler.record, speler.zetten)
