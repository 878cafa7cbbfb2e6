class Verkenner:
    def __init__(self, over):
        self.over = over

    def __call__(self, positie):
        if positie in self.over:
            self.over.remove(positie)
            list(map(self, get_adjacent_positions(positie)))


def are_chained_rec(positions):
    verkenner = Verkenner(set(positions))
    if verkenner.over:
        verkenner(min(verkenner.over))
    return len(verkenner.over) == 0
