def region(grid, position):
    visited = set()

    def visit(row, column):
        if (row, column) in visited:
            return
        if not (0 <= row < len(grid) and 0 <= column < len(grid[0])):
            return
        if grid[row][column] != grid[position[0]][position[1]]:
            return
        visited.add((row, column))
        visit(row - 1, column)
        visit(row + 1, column)
        visit(row, column - 1)
        visit(row, column + 1)

    visit(*position)
    return len(visited)
