"""Deep recursion instead of loops: rays, checks over lists and the text are all recursive; the grid is seen as a border of walls."""
import sys

sys.setrecursionlimit(20000)


class Akari:

    def __init__(self, r, k, naam):
        self.r = r
        self.k = k
        with open(naam) as f:
            self.zwarte_cellen = self.lees(f)
        self.lampen = set()

    def lees(self, f):
        lijn = f.readline()
        if lijn.strip() == '':
            return {}
        delen = lijn.split()
        gevonden = {(int(delen[0]), int(delen[1])): delen[2]}
        gevonden.update(self.lees(f))
        return gevonden

    def muur(self, r, k):
        if (r, k) in self.zwarte_cellen:
            return True
        return r == -1 or k == -1 or r == self.r or k == self.k

    def loop(self, r, k, dr, dk):
        if self.muur(r, k):
            return set()
        rest = self.loop(r + dr, k + dk, dr, dk)
        rest.add((r, k))
        return rest

    def stralen(self, r, k):
        cellen = self.loop(r - 1, k, -1, 0)
        cellen.update(self.loop(r + 1, k, 1, 0))
        cellen.update(self.loop(r, k - 1, 0, -1))
        cellen.update(self.loop(r, k + 1, 0, 1))
        return cellen

    def licht_van(self, lampen):
        if not lampen:
            return set()
        eerste, *andere = lampen
        return self.stralen(eerste[0], eerste[1]) | self.licht_van(andere)

    def verlicht(self):
        return self.licht_van(list(self.lampen))

    def burenlijst(self, cel):
        r, k = cel
        return [(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)]

    def tel(self, cellen):
        if not cellen:
            return 0
        if cellen[0] in self.lampen:
            return 1 + self.tel(cellen[1:])
        return self.tel(cellen[1:])

    def ruimte(self, cellen):
        # mag er naast al deze cellen nog een lamp bij?
        if not cellen:
            return True
        cel = cellen[0]
        if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != '?':
            if self.tel(self.burenlijst(cel)) >= int(self.zwarte_cellen[cel]):
                return False
        return self.ruimte(cellen[1:])

    def plaats_lamp(self, r, k):
        if not (0 <= r < self.r and 0 <= k < self.k):
            raise AssertionError('ongeldige positie')
        if (r, k) in self.zwarte_cellen or (r, k) in self.lampen:
            raise AssertionError('ongeldige positie')
        if self.stralen(r, k) & self.lampen:
            raise AssertionError('ongeldige positie')
        if not self.ruimte(self.burenlijst((r, k))):
            raise AssertionError('ongeldige positie')
        self.lampen = self.lampen | {(r, k)}

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError('ongeldige positie')
        self.lampen = self.lampen - {(r, k)}

    def alles_ok(self, cellen, licht):
        if not cellen:
            return True
        cel = cellen.pop()
        if cel in self.zwarte_cellen:
            ok = self.zwarte_cellen[cel] == '?'
            ok = ok or str(self.tel(self.burenlijst(cel))) == self.zwarte_cellen[cel]
        else:
            ok = cel in licht or cel in self.lampen
        return ok and self.alles_ok(cellen, licht)

    def isopgelost(self):
        alle = [(r, k) for r in range(self.r) for k in range(self.k)]
        return self.alles_ok(alle, self.verlicht())

    def tekst(self, r, k, licht):
        if r == self.r:
            return ''
        if k == self.k:
            einde = '' if r == self.r - 1 else '\n'
            return einde + self.tekst(r + 1, 0, licht)
        if (r, k) in self.zwarte_cellen:
            teken = self.zwarte_cellen[(r, k)]
        elif (r, k) in self.lampen:
            teken = 'L'
        elif (r, k) in licht:
            teken = '*'
        else:
            teken = '_'
        return teken + self.tekst(r, k + 1, licht)

    def __str__(self):
        return self.tekst(0, 0, self.verlicht())
