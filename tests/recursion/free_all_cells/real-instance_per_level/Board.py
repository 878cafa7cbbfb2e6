class Schakel:
    def __init__(self, positions):
        self.positie = positions[0]
        self.volgende = Schakel(positions[1:]) if len(positions) > 1 else None

    def maak_leeg(self, board):
        free_cell(board, self.positie)
        if self.volgende is not None:
            self.volgende.maak_leeg(board)


def free_all_cells(board, positions):
    if len(positions) > 0:
        Schakel(positions).maak_leeg(board)
