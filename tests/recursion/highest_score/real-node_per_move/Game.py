class Zet:
    def __init__(self, board, blocks, index, punten, positie):
        self.punten = punten
        self.positie = positie
        self.klaar = index >= len(blocks)
        self.volgende = []
        if not self.klaar:
            for plaats in Board.get_droppable_positions(board, blocks[index]):
                bord = Board.copy_board(board)
                erbij = game_move(bord, blocks[index], plaats)
                self.volgende.append(Zet(bord, blocks, index + 1, erbij, plaats))

    def beste(self):
        if self.klaar:
            return (self.punten, [])
        top = (None, None)
        for zet in self.volgende:
            score, posities = zet.beste()
            if score is not None and (top[0] is None or score > top[0]):
                top = (score, [zet.positie] + posities)
        if top[0] is None:
            return top
        return (self.punten + top[0], top[1])


def highest_score(board, blocks, start=0):
    return Zet(board, blocks, start, 0, None).beste()
