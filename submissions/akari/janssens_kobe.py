class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        with open(bestand) as f:
            for lijn in f:
                r, k, m = lijn.split()
                self.zwarte_cellen[(int(r), int(k)] = m

    def stralen(self, r, k):
        s = set()
        for dr, dk in [(0, 1), (0, -1), (1, 0), (-1, 0)]:
            x, y = r + dr, k + dk
            while 0 <= x < self.rijen and 0 <= y < self.kolommen and (x, y) not in self.zwarte_cellen:
                s.add((x, y))
                x, y = x + dr, y + dk
        return s

    def verlicht(self):
        s = set()
        for r, k in self.lampen:
            s |= self.stralen(r, k)
        return s

    def plaats_lamp(self, r, k):
        assert 0 <= r < self.rijen and 0 <= k < self.kolommen, 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen and (r, k) not in self.lampen, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))
