class Gebied:
    def __init__(self, board):
        self.board = board

    def recursief(self, cel, gezien):
        gezien.add(cel)
        for buur in Position.get_adjacent_positions(cel, dimension(self.board)):
            if buur not in gezien:
                self.recursief(buur, gezien)

    def iteratief(self, cellen):
        for cel in cellen:
            for buur in Position.get_adjacent_positions(cel, dimension(self.board)):
                gelijk = is_filled_at(self.board, buur) == is_filled_at(self.board, cel)
                if gelijk and buur not in cellen:
                    cellen.append(buur)
        return cellen


def are_chainable(board, positions):
    return set(positions).issubset(Gebied(board).iteratief(list(positions)[:1]))
