def region(grid, position, seen=None):
    if seen is None:
        seen = set()
    row, column = position
    seen.add(position)
    size = 1
    for near in [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]:
        if near not in seen and 0 <= near[0] < len(grid) and 0 <= near[1] < len(grid[0]):
            if grid[near[0]][near[1]] == grid[row][column]:
                size += region(grid, near, seen)
    return size
