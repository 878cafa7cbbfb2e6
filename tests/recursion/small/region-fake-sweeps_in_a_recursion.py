def region(grid, position, rounds=None, inside=None):
    inside = inside or {position}
    rounds = len(grid) if rounds is None else rounds
    changed = True
    while changed:
        changed = False
        for r in range(len(grid)):
            for c in range(len(grid[r])):
                if (r, c) in inside or grid[r][c] != grid[position[0]][position[1]]:
                    continue
                if {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & inside:
                    inside.add((r, c))
                    changed = True
    if rounds == 0:
        return len(inside)
    return region(grid, position, rounds - 1, inside)
