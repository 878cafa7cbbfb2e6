class Knoop:
    def __init__(self, positie, over):
        over.discard(positie)
        self.buren = []
        for buur in sorted(get_adjacent_positions(positie)):
            if buur in over:
                self.buren.append(Knoop(buur, over))


def are_chained_rec(positions):
    over = set(positions)
    if over:
        Knoop(min(over), over)
    return not over
