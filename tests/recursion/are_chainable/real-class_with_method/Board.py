class Ontdekker:
    def __init__(self, board, start):
        self.board = board
        self.gevuld = is_filled_at(board, start)
        self.bezocht = set()
        self.ga_naar(start)

    def ga_naar(self, cel):
        if self.mag(cel):
            self.bezocht.add(cel)
            x, y = cel
            self.ga_naar((x + 1, y))
            self.ga_naar((x, y + 1))
            self.ga_naar((x - 1, y))
            self.ga_naar((x, y - 1))

    def mag(self, cel):
        return (
            Position.is_proper_position_for_board(dimension(self.board), cel)
            and cel not in self.bezocht
            and is_filled_at(self.board, cel) == self.gevuld
        )


def are_chainable(board, positions):
    if len(positions) < 2:
        return True
    return Ontdekker(board, min(positions)).bezocht.issuperset(positions)
