class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        for lijn in open(bestand).readlines():
            if lijn != '\n':
                r, k, m = lijn.split()
                self.zwarte_cellen[(int(r), int(k))] = m

    def stralen(self, r, k):
        cellen = set()
        for dr, dk in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            x, y = r, k
            while True:
                x, y = x + dr, y + dk
                if x < 0 or y < 0 or x >= self.rijen or y >= self.kolommen or (x, y) in self.zwarte_cellen:
                    break
                cellen.add((x, y))
        return cellen

    def verlicht(self):
        # blijven toevoegen tot er niets meer bijkomt
        cellen = [None]
        vorige = []
        while len(cellen) != len(vorige):
            vorige = cellen
            for r, k in self.lampen:
                cellen = cellen + list(self.stralen(r, k))
            cellen = cellen + vorige
        return set(cellen) - {None}

    def naast(self, r, k):
        return [(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)]

    def plaats_lamp(self, r, k):
        assert r >= 0 and k >= 0 and r < self.rijen and k < self.kolommen, 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        for lamp in self.lampen:
            assert (r, k) not in self.stralen(lamp[0], lamp[1]), 'ongeldige positie'
        for cel in self.naast(r, k):
            m = self.zwarte_cellen.get(cel, '?')
            if m != '?':
                aantal = 0
                for buur in self.naast(cel[0], cel[1]):
                    if buur in self.lampen:
                        aantal += 1
                assert aantal < int(m), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel, m in self.zwarte_cellen.items():
            if m != '?':
                aantal = 0
                for buur in self.naast(cel[0], cel[1]):
                    if buur in self.lampen:
                        aantal += 1
                if aantal != int(m):
                    return False
        return len(self.verlicht()) + len(self.lampen) + len(self.zwarte_cellen) == self.rijen * self.kolommen

    def __str__(self):
        rooster = []
        for r in range(self.rijen):
            rooster.append(['_'] * self.kolommen)
        for lamp in self.lampen:
            for r, k in self.stralen(lamp[0], lamp[1]):
                rooster[r][k] = '*'
        for r, k in self.lampen:
            rooster[r][k] = 'L'
        for r, k in self.zwarte_cellen:
            rooster[r][k] = self.zwarte_cellen[(r, k)]
        return '\n'.join([''.join(rij) for rij in rooster])
