def region(grid, position):
    return walk(grid, [position], {position})


def walk(grid, todo, seen):
    if not todo:
        return len(seen)
    r, c = todo[0]
    fresh = []
    for a, b in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)):
        inside = 0 <= a < len(grid) and 0 <= b < len(grid[0])
        if inside and (a, b) not in seen and grid[a][b] == grid[r][c]:
            fresh.append((a, b))
    return walk(grid, todo[1:] + fresh, seen | set(fresh))
