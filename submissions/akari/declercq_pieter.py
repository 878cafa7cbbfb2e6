#!/usr/bin/python

class Akari(object):

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        for lijn in open(bestand):
            r, k, m = lijn.split()
            self.zwarte_cellen[(int(r), int(k))] = m

    def stralen(self, r, k):
        s = set()
        for dr, dk in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            x, y = r + dr, k + dk
            while 0 <= x < self.rijen and 0 <= y < self.kolommen and not self.zwarte_cellen.has_key((x, y)):
                s.add((x, y))
                x, y = x + dr, y + dk
        return s

    def verlicht(self):
        s = set()
        for r, k in self.lampen:
            s.update(self.stralen(r, k))
        return s

    def plaats_lamp(self, r, k):
        if (r, k) in self.lampen or (r, k) in self.verlicht() or self.zwarte_cellen.has_key((r, k)):
            raise AssertionError, 'ongeldige positie'
        if r < 0 or k < 0 or r >= self.rijen or k >= self.kolommen:
            raise AssertionError, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError, 'ongeldige positie'
        self.lampen.remove((r, k))

    def __str__(self):
        s = ''
        for r in xrange(self.rijen):
            for k in xrange(self.kolommen):
                if (r, k) in self.lampen:
                    s += 'L'
                elif (r, k) in self.verlicht():
                    s += '*'
                else:
                    s += self.zwarte_cellen.get((r, k), '_')
            s += '\n'
        return s[:-1]

if __name__ == '__main__':
    puzzel = Akari(6, 6, 'akari.txt')
    print puzzel
