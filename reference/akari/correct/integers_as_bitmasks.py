"""Whole grids are integers used as bit masks (one bit per cell), generators turn them back into positions; lampen is a property that makes a new set."""


def bits(masker):
    positie = 0
    while masker:
        if masker & 1:
            yield positie
        masker >>= 1
        positie += 1


class Akari:

    def __init__(self, n, m, locatie):
        self.n = n
        self.m = m
        self.zwart = 0
        self.lamp = 0
        self.zwarte_cellen = {}
        with open(locatie, encoding='utf-8') as f:
            for r, k, teken in map(str.split, f):
                r = int(r)
                k = int(k)
                self.zwarte_cellen[r, k] = teken
                self.zwart |= self.bit(r, k)

    def bit(self, r, k):
        if 0 <= r < self.n and 0 <= k < self.m:
            return 1 << (r * self.m + k)
        return 0

    def cellen(self, masker):
        return {divmod(b, self.m) for b in bits(masker)}

    def straalmasker(self, r, k):
        masker = 0
        for dr, dk in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            i, j = r + dr, k + dk
            while self.bit(i, j) & ~self.zwart:
                masker |= self.bit(i, j)
                i += dr
                j += dk
        return masker

    def lichtmasker(self):
        masker = 0
        for b in bits(self.lamp):
            masker |= self.straalmasker(*divmod(b, self.m))
        return masker

    def randmasker(self, r, k):
        return (self.bit(r - 1, k) | self.bit(r + 1, k)
                | self.bit(r, k - 1) | self.bit(r, k + 1))

    def verschillen(self):
        """Hoeveel lampen elke genummerde cel te veel (of te weinig) heeft."""
        for (r, k), teken in self.zwarte_cellen.items():
            if teken != '?':
                yield bin(self.lamp & self.randmasker(r, k)).count('1') - int(teken)

    @property
    def lampen(self):
        return self.cellen(self.lamp)

    def stralen(self, r, k):
        assert self.bit(r, k), 'ongeldige positie'
        return self.cellen(self.straalmasker(r, k))

    def verlicht(self):
        return self.cellen(self.lichtmasker())

    def plaats_lamp(self, r, k):
        b = self.bit(r, k)
        if not b or b & (self.zwart | self.lamp | self.lichtmasker()):
            raise AssertionError('ongeldige positie')
        self.lamp |= b
        if any(v > 0 for v in self.verschillen()):
            self.lamp &= ~b
            raise AssertionError('ongeldige positie')

    def verwijder_lamp(self, r, k):
        b = self.bit(r, k)
        if not b & self.lamp:
            raise AssertionError('ongeldige positie')
        self.lamp &= ~b

    def isopgelost(self):
        alles = (1 << self.n * self.m) - 1
        if self.zwart | self.lamp | self.lichtmasker() != alles:
            return False
        return all(v == 0 for v in self.verschillen())

    def __str__(self):
        licht = self.lichtmasker()
        regels = []
        for r in range(self.n):
            regel = []
            for k in range(self.m):
                b = self.bit(r, k)
                if b & self.zwart:
                    regel.append(self.zwarte_cellen[r, k])
                elif b & self.lamp:
                    regel.append('L')
                elif b & licht:
                    regel.append('*')
                else:
                    regel.append('_')
            regels.append(''.join(regel))
        return '\n'.join(regels)
