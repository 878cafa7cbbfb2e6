class Akari:
    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(locatie) as bestand:
            for lijn in bestand:
                print('lijn:', lijn)
                lijst = lijn.split()
                if lijst:
                    self.zwarte_cellen[(int(lijst[0]), int(lijst[1]))] = lijst[2]
        print(self.zwarte_cellen)

    def stralen(self, r, k):
        resultaat = set()
        for x, y in [(0, 1), (0, -1), (1, 0), (-1, 0)]:
            rij, kolom = r + x, k + y
            while 0 <= rij < self.rijen and 0 <= kolom < self.kolommen and (rij, kolom) not in self.zwarte_cellen:
                resultaat.add((rij, kolom))
                rij += x
                kolom += y
        # print('stralen', r, k, resultaat)
        return resultaat

    def verlicht(self):
        resultaat = set()
        for lamp in self.lampen:
            resultaat |= self.stralen(lamp[0], lamp[1])
        return resultaat

    def buurlampen(self, r, k):
        return [b for b in [(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)] if b in self.lampen]

    def plaats_lamp(self, r, k):
        print('plaats_lamp', r, k)
        assert 0 <= r < self.rijen and 0 <= k < self.kolommen, 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        print('HIER 1')
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        print('HIER 2')
        for buur in [(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)]:
            if buur in self.zwarte_cellen:
                m = self.zwarte_cellen[buur]
                print('  buur', buur, 'markering', m, 'lampen', self.buurlampen(*buur))
                if m != '?':
                    assert len(self.buurlampen(*buur)) < int(m), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        print('verwijder', r, k)
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel in self.zwarte_cellen:
            m = self.zwarte_cellen[cel]
            if m != '?' and len(self.buurlampen(*cel)) != int(m):
                print('klopt niet:', cel)
                return False
        return len(self.lampen) + len(self.verlicht()) + len(self.zwarte_cellen) == self.rijen * self.kolommen

    def __str__(self):
        licht = self.verlicht()
        s = ''
        for r in range(self.rijen):
            if r > 0:
                s += '\n'
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    s += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    s += 'L'
                elif (r, k) in licht:
                    s += '*'
                else:
                    s += '_'
        return s
