class Akari:

    def __init__(self, rijen, kolommen, bestandsnaam):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        with open(bestandsnaam) as bestand:
            for regel in bestand:
                if regel.strip():
                    r, k, markering = regel.split()
                    self.zwarte_cellen[int(r), int(k)] = markering

    def straal(self, r, k, dr, dk):
        # recursief: deze cel en dan de rest van de straal
        if (r, k) in self.zwarte_cellen:
            return set()
        return {(r, k)} | self.straal(r + dr, k + dk, dr, dk)

    def stralen(self, r, k):
        boven = self.straal(r - 1, k, -1, 0)
        onder = self.straal(r + 1, k, 1, 0)
        links = self.straal(r, k - 1, 0, -1)
        rechts = self.straal(r, k + 1, 0, 1)
        return boven | onder | links | rechts

    def verlicht(self):
        resultaat = set()
        for r, k in self.lampen:
            resultaat |= self.stralen(r, k)
        return resultaat

    def rond(self, r, k):
        return len({(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)} & self.lampen)

    def plaats_lamp(self, r, k):
        assert 0 <= r < self.rijen, 'ongeldige positie'
        assert 0 <= k < self.kolommen, 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for i, j in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]:
            if self.zwarte_cellen.get((i, j), '?') != '?':
                assert self.rond(i, j) + 1 <= int(self.zwarte_cellen[i, j]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel, markering in self.zwarte_cellen.items():
            if markering != '?' and self.rond(cel[0], cel[1]) != int(markering):
                return False
        return '_' not in str(self)

    def __str__(self):
        verlicht = self.verlicht()
        uitvoer = []
        for r in range(self.rijen):
            rij = ''
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    rij += self.zwarte_cellen[r, k]
                elif (r, k) in self.lampen:
                    rij += 'L'
                elif (r, k) in verlicht:
                    rij += '*'
                else:
                    rij += '_'
            uitvoer.append(rij)
        return '\n'.join(uitvoer)
