class Leegmaker:
    def free_all_cells(self, board, positions):
        for position in positions:
            free_cell(board, position)


def free_all_cells(board, positions):
    Leegmaker().free_all_cells(board, positions)
