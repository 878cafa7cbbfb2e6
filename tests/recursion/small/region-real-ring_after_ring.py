def region(grid, position):
    return len(grown(grid, {position}, {position}))


def grown(grid, inside, edge):
    fresh = set()
    for r, c in edge:
        for a, b in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)):
            if 0 <= a < len(grid) and 0 <= b < len(grid[a]) and grid[a][b] == grid[r][c]:
                fresh.add((a, b))
    fresh -= inside
    if not fresh:
        return inside
    return grown(grid, inside | fresh, fresh)
