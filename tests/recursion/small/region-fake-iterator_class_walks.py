class Walk:
    def __init__(self, grid, position):
        self.grid, self.edge, self.seen = grid, [position], {position}

    def __iter__(self):
        return self

    def __next__(self):
        if not self.edge:
            raise StopIteration
        r, c = self.edge.pop()
        list(map(self.note, [(r, c)] * 4, [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]))
        return r, c

    def note(self, old, new):
        a, b = new
        if new not in self.seen and 0 <= a < len(self.grid) and 0 <= b < len(self.grid[0]):
            if self.grid[a][b] == self.grid[old[0]][old[1]]:
                self.seen.add(new)
                self.edge.append(new)


def region(grid, position):
    return size(list(Walk(grid, position)))


def size(cells):
    return 1 + size(cells[1:]) if cells else 0
