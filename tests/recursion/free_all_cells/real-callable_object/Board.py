class Leegmaker:
    def __init__(self, board):
        self.board = board
        self.aantal = 0

    def __call__(self, positions):
        if self.aantal < len(positions):
            free_cell(self.board, positions[self.aantal])
            self.aantal += 1
            self(positions)


def free_all_cells(board, positions):
    leegmaker = Leegmaker(board)
    leegmaker(positions)
