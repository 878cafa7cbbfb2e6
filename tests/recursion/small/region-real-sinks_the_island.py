def region(grid, position):
    rows = [list(row) for row in grid]
    return sink(rows, position[0], position[1], grid[position[0]][position[1]])


def sink(rows, r, c, colour):
    if r < 0 or c < 0 or r == len(rows) or c == len(rows[r]) or rows[r][c] != colour:
        return 0
    rows[r][c] = None
    return (1 + sink(rows, r + 1, c, colour) + sink(rows, r, c + 1, colour)
            + sink(rows, r - 1, c, colour) + sink(rows, r, c - 1, colour))
