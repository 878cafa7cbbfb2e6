import sys

class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        with open(bestand) as f:
            for regel in f:
                delen = regel.split()
                if len(delen) > 0:
                    self.zwarte_cellen[(int(delen[0]), int(delen[1]))] = delen[2]

    def fout(self):
        print('AssertionError: ongeldige positie')
        sys.exit()

    def stralen(self, r, k):
        s = set()
        for i, j in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            x, y = r + i, k + j
            while x >= 0 and x < self.rijen and y >= 0 and y < self.kolommen:
                if (x, y) in self.zwarte_cellen:
                    break
                s.add((x, y))
                x, y = x + i, y + j
        return s

    def verlicht(self):
        s = set()
        for lamp in self.lampen:
            s = s.union(self.stralen(lamp[0], lamp[1]))
        return s

    def rond(self, r, k):
        teller = 0
        for cel in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]:
            if cel in self.lampen:
                teller = teller + 1
        return teller

    def plaats_lamp(self, r, k):
        if r < 0 or r >= self.rijen or k < 0 or k >= self.kolommen:
            self.fout()
        if (r, k) in self.zwarte_cellen or (r, k) in self.lampen or (r, k) in self.verlicht():
            self.fout()
        for cel in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]:
            if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != '?':
                if self.rond(cel[0], cel[1]) >= int(self.zwarte_cellen[cel]):
                    self.fout()
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel in self.zwarte_cellen:
            if self.zwarte_cellen[cel] != '?' and self.rond(cel[0], cel[1]) != int(self.zwarte_cellen[cel]):
                return False
        if '_' in str(self):
            return False
        return True

    def __str__(self):
        s = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    s += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    s += 'L'
                elif (r, k) in self.verlicht():
                    s += '*'
                else:
                    s += '_'
            if r < self.rijen - 1:
                s += '\n'
        return s
