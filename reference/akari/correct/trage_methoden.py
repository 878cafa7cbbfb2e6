"""Zoekt het licht voor elk vakje opnieuw, ook om het te tonen: traag, en juist."""

class Akari:
    def __init__(self, rijen, kolommen, locatie):
        self.rijen, self.kolommen = rijen, kolommen
        self.lampen = set()
        self._z = list(self.lees(locatie).items())

    @property
    def zwarte_cellen(self):
        return {cel: m for cel, m in self._z}

    def lees(self, locatie):
        cellen = {}
        with open(locatie) as bestand:
            for regel in bestand:
                r, k, m = regel.split()
                cellen[int(r), int(k)] = m
        return cellen

    def stralen(self, r, k):
        cellen = set()
        for dr, dk in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            i, j = r + dr, k + dk
            while self.binnen(i, j) and not self.is_zwart(i, j):
                cellen.add((i, j))
                i, j = i + dr, j + dk
        return cellen

    def verlicht(self):
        licht = set()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) not in self.zwarte_cellen:
                    for lamp in self.lampen:
                        if lamp in self.stralen(r, k):
                            licht.add((r, k))
        return licht

    def binnen(self, r, k):
        return r in range(self.rijen) and k in range(self.kolommen)

    def is_zwart(self, r, k):
        return self.binnen(r, k) and (r, k) in self.zwarte_cellen

    def rond(self, cel):
        r, k = cel
        return len(self.lampen & {(r-1, k), (r+1, k), (r, k-1), (r, k+1)})

    def plaats_lamp(self, r, k):
        if not (0 <= r < self.rijen and 0 <= k < self.kolommen) or (r, k) in self.zwarte_cellen \
                or (r, k) in self.lampen or (r, k) in self.verlicht():
            raise AssertionError('ongeldige positie')
        self.lampen.add((r, k))
        if any(m != '?' and self.rond(cel) > int(m) for cel, m in self.zwarte_cellen.items()
               if abs(cel[0] - r) + abs(cel[1] - k) == 1):
            self.lampen.remove((r, k))
            raise AssertionError('ongeldige positie')

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) not in self.zwarte_cellen and (r, k) not in self.lampen and (r, k) not in self.verlicht():
                    return False
        return all(m == '?' or self.rond(cel) == int(m) for cel, m in self.zwarte_cellen.items())

    def __str__(self):
        return '\n'.join(''.join(self.zwarte_cellen.get((r, k)) or ('L' if (r, k) in self.lampen else '*' if (r, k) in self.verlicht() else '_')
                                 for k in range(self.kolommen)) for r in range(self.rijen))
