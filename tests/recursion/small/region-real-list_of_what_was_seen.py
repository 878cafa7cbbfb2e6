def region(grid, position, seen=None):
    seen = [] if seen is None else seen
    seen.append(position)
    r, c = position
    for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        there = (r + dr, c + dc)
        if 0 <= there[0] < len(grid) and 0 <= there[1] < len(grid[0]):
            if there not in seen and grid[there[0]][there[1]] == grid[r][c]:
                region(grid, there, seen)
    return len(seen)
