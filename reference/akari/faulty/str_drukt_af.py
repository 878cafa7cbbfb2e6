"""__str__ drukt het rooster zelf af en geeft geen string terug."""
# verliest: str


class Akari:
    def __init__(self, m, n, naam):
        self.m, self.n = m, n
        self.lampen = set()
        self.zwarte_cellen = self.lees(naam)

    def lees(self, naam):
        zwart = {}
        with open(naam, 'r') as invoer:
            for regel in invoer.read().strip().split('\n'):
                if regel:
                    onderdelen = regel.split(' ')
                    zwart[int(onderdelen[0]), int(onderdelen[1])] = onderdelen[2].strip()
        return zwart

    # hulpfunctie: alle vier de cellen naast een cel (in het rooster)
    def naast(self, r, k):
        return {(i, j) for i, j in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
                if 0 <= i < self.m and 0 <= j < self.n}

    def stralen(self, r, k):
        licht = set()
        for j in range(k + 1, self.n):          # rechts
            if (r, j) in self.zwarte_cellen:
                break
            licht.add((r, j))
        for j in range(k - 1, -1, -1):          # links
            if (r, j) in self.zwarte_cellen:
                break
            licht.add((r, j))
        for i in range(r + 1, self.m):          # onder
            if (i, k) in self.zwarte_cellen:
                break
            licht.add((i, k))
        for i in range(r - 1, -1, -1):          # boven
            if (i, k) in self.zwarte_cellen:
                break
            licht.add((i, k))
        return licht

    def verlicht(self):
        licht = set()
        for r, k in self.lampen:
            licht |= self.stralen(r, k)
        return licht

    def mag(self, r, k):
        if r < 0 or r >= self.m or k < 0 or k >= self.n:
            return False
        if (r, k) in self.zwarte_cellen or (r, k) in self.lampen:
            return False
        if (r, k) in self.verlicht():
            return False
        for buur in self.naast(r, k):
            nummer = self.zwarte_cellen.get(buur, '?')
            if nummer != '?' and len(self.naast(*buur) & self.lampen) >= int(nummer):
                return False
        return True

    def plaats_lamp(self, r, k):
        if not self.mag(r, k):
            raise AssertionError('ongeldige positie')
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError('ongeldige positie')
        self.lampen.remove((r, k))

    def isopgelost(self):
        wit = self.m * self.n - len(self.zwarte_cellen)
        if len(self.lampen) + len(self.verlicht()) != wit:
            return False
        for cel in self.zwarte_cellen:
            nummer = self.zwarte_cellen[cel]
            if nummer != '?' and len(self.naast(*cel) & self.lampen) != int(nummer):
                return False
        return True

    def teken(self, r, k):
        if (r, k) in self.zwarte_cellen:
            return self.zwarte_cellen[r, k]
        if (r, k) in self.lampen:
            return 'L'
        if (r, k) in self.verlicht():
            return '*'
        return '_'

    def __str__(self):
        for r in range(self.m):
            for k in range(self.n):
                print(self.teken(r, k), end='')
            print()
