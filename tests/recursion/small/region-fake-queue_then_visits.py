from collections import deque


def region(grid, position):
    found = {position}
    queue = deque([position])
    while queue:
        r, c = queue.popleft()
        for a, b in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if (a, b) not in found and 0 <= a < len(grid) and 0 <= b < len(grid[0]):
                if grid[a][b] == grid[r][c]:
                    found.add((a, b))
                    queue.append((a, b))
    return visit(found)


def visit(found):
    if not found:
        return 0
    one = found.pop()
    return 1 + visit(found)
