class Rij:
    def __init__(self, cellen):
        self.cellen = cellen

    def __iter__(self):
        if len(self.cellen) > 0:
            yield self.cellen[0]
            yield from Rij(self.cellen[1:])


def free_all_cells(board, positions):
    for cel in Rij(positions):
        free_cell(board, cel)
