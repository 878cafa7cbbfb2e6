def free_all_cells(board, positions):
    list(map(lambda position: free_cell(board, position), positions))
