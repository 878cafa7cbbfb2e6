"""Een zwarte cel wordt overgeslagen in plaats van de lichtstraal te doen stoppen."""
# verliest: lampen, verlicht, str, stralen, plaats_lamp, verwijder_lamp, isopgelost


class Akari:
    def __init__(self, rijen, kolommen, naam):
        self.rijen, self.kolommen = rijen, kolommen
        self.lampen = set()
        self.zwarte_cellen = self.lees(naam)

    def lees(self, naam):
        zwart = {}
        with open(naam, 'r') as invoer:
            for regel in invoer.read().strip().split('\n'):
                if regel:
                    delen = regel.split(' ')
                    zwart[int(delen[0]), int(delen[1])] = delen[2].strip()
        return zwart

    # hulpfunctie: alle vier de cellen naast een cel (in het rooster)
    def naast(self, r, k):
        return {(i, j) for i, j in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
                if 0 <= i < self.rijen and 0 <= j < self.kolommen}

    def stralen(self, r, k):
        licht = set()
        for j in range(k + 1, self.kolommen):          # rechts
            if (r, j) not in self.zwarte_cellen:
                licht.add((r, j))
        for j in range(k - 1, -1, -1):          # links
            if (r, j) not in self.zwarte_cellen:
                licht.add((r, j))
        for i in range(r + 1, self.rijen):          # onder
            if (i, k) not in self.zwarte_cellen:
                licht.add((i, k))
        for i in range(r - 1, -1, -1):          # boven
            if (i, k) not in self.zwarte_cellen:
                licht.add((i, k))
        return licht

    def verlicht(self):
        licht = set()
        for r, k in self.lampen:
            licht |= self.stralen(r, k)
        return licht

    def mag(self, r, k):
        if r < 0 or r >= self.rijen or k < 0 or k >= self.kolommen:
            return False
        if (r, k) in self.zwarte_cellen or (r, k) in self.lampen:
            return False
        if (r, k) in self.verlicht():
            return False
        for buur in self.naast(r, k):
            getal = self.zwarte_cellen.get(buur, '?')
            if getal != '?' and len(self.naast(*buur) & self.lampen) >= int(getal):
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
        wit = self.rijen * self.kolommen - len(self.zwarte_cellen)
        if len(self.lampen) + len(self.verlicht()) != wit:
            return False
        for cel in self.zwarte_cellen:
            getal = self.zwarte_cellen[cel]
            if getal != '?' and len(self.naast(*cel) & self.lampen) != int(getal):
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
        return '\n'.join(''.join(self.teken(r, k) for k in range(self.kolommen)) for r in range(self.rijen))
