def free_all_cells(board, positions, van=0, tot=None):
    if tot is None:
        tot = len(positions)
    lengte = tot - van
    if lengte <= 0:
        return
    if lengte == 1:
        free_cell(board, positions[van])
        return
    kwart = max(1, lengte // 4)
    free_all_cells(board, positions, van, van + kwart)
    free_all_cells(board, positions, van + kwart, min(tot, van + 2 * kwart))
    free_all_cells(board, positions, min(tot, van + 2 * kwart), min(tot, van + 3 * kwart))
    free_all_cells(board, positions, min(tot, van + 3 * kwart), tot)
