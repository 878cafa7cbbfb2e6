def region(grid, position):
    return len(reach(grid, position, frozenset()))


def reach(grid, position, known):
    """Everything in known, and all that can be reached from position."""
    r, c = position
    known = known | {position}
    for a, b in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)):
        if 0 <= a < len(grid) and 0 <= b < len(grid[a]):
            if (a, b) not in known and grid[a][b] == grid[r][c]:
                known = reach(grid, (a, b), known)
    return known
