def free_all_cells(board, positions):
    if len(positions) <= 1:
        return [free_cell(board, position) for position in positions]
    midden = len(positions) // 2
    return [free_all_cells(board, deel) for deel in (positions[:midden], positions[midden:])]
