class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        inhoud = open(bestand).read().split('\n')
        for regel in inhoud:
            if regel != '':
                a, b, c = regel.split(' ')
                self.zwarte_cellen[(int(a), int(b))] = c

    def stralen(self, r, k):
        cellen = set()
        # naar rechts
        kolom = k + 1
        while kolom < self.kolommen:
            if (r, kolom) not in self.zwarte_cellen:
                cellen.add((r, kolom))
                kolom += 1
        # naar links
        kolom = k - 1
        while kolom >= 0:
            if (r, kolom) not in self.zwarte_cellen:
                cellen.add((r, kolom))
                kolom -= 1
        # naar onder
        rij = r + 1
        while rij < self.rijen:
            if (rij, k) not in self.zwarte_cellen:
                cellen.add((rij, k))
                rij += 1
        # naar boven
        rij = r - 1
        while rij >= 0:
            if (rij, k) not in self.zwarte_cellen:
                cellen.add((rij, k))
                rij -= 1
        return cellen

    def verlicht(self):
        cellen = set()
        for lamp in self.lampen:
            cellen.update(self.stralen(lamp[0], lamp[1]))
        return cellen

    def lampen_rond(self, r, k):
        teller = 0
        for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
            if buur in self.lampen:
                teller += 1
        return teller

    def plaats_lamp(self, r, k):
        assert 0 <= r < self.rijen and 0 <= k < self.kolommen, 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
            if buur in self.zwarte_cellen and self.zwarte_cellen[buur] != '?':
                assert self.lampen_rond(buur[0], buur[1]) < int(self.zwarte_cellen[buur]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for r, k in self.zwarte_cellen:
            m = self.zwarte_cellen[(r, k)]
            if m != '?' and self.lampen_rond(r, k) != int(m):
                return False
        return '_' not in self.__str__()

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
            s += '\n'
        return s[:-1]
