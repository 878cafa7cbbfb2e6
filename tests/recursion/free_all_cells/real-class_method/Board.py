class CellFreer:
    def __init__(self, board):
        self.board = board

    def free(self, positions):
        if len(positions) > 0:
            free_cell(self.board, positions[0])
            self.free(positions[1:])


def free_all_cells(board, positions):
    CellFreer(board).free(positions)
