class Akari:

    def __init__(self, rij, kolom, naam):
        self.rij = rij
        self.kolom = kolom
        self.naam = naam
        self.lampen = set()
        self.zwarte_cellen = {}
        with open(self.naam, 'r') as b:
            tekst = b.read()
        for regel in tekst.split('\n'):
            if len(regel) >= 5:
                self.zwarte_cellen[(int(regel.split(' ')[0]), int(regel.split(' ')[1]))] = regel.split(' ')[2]

    def wit(self, r, k):
        if r in range(self.rij) and k in range(self.kolom):
            if (r, k) not in self.zwarte_cellen:
                return True
        return False

    def stralen(self, r, k):
        verz = set()
        i = 1
        while self.wit(r + i, k):
            verz.add((r + i, k))
            i += 1
        i = 1
        while self.wit(r - i, k):
            verz.add((r - i, k))
            i += 1
        i = 1
        while self.wit(r, k + i):
            verz.add((r, k + i))
            i += 1
        i = 1
        while self.wit(r, k - i):
            verz.add((r, k - i))
            i += 1
        return verz

    def verlicht(self):
        verz = set()
        for x in self.lampen:
            verz = verz | self.stralen(x[0], x[1])
        return verz

    def geldig(self):
        # kijkt of nergens te veel lampen staan
        for (r, k), getal in self.zwarte_cellen.items():
            if getal in '01234' and self.lampen_naast(r, k) > int(getal):
                return False
        return True

    def lampen_naast(self, r, k):
        x = 0
        for lamp in self.lampen:
            if abs(lamp[0] - r) + abs(lamp[1] - k) == 1:
                x += 1
        return x

    def plaats_lamp(self, r, k):
        assert self.wit(r, k), 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        self.lampen.add((r, k))
        if not self.geldig():
            self.lampen.remove((r, k))
            raise AssertionError('ongeldige positie')

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for (r, k), getal in self.zwarte_cellen.items():
            if getal in '01234' and self.lampen_naast(r, k) != int(getal):
                return False
        for r in range(self.rij):
            for k in range(self.kolom):
                if self.wit(r, k) and (r, k) not in self.lampen.union(self.verlicht()):
                    return False
        return True

    def __str__(self):
        lijst = []
        for r in range(self.rij):
            rij = ''
            for k in range(self.kolom):
                if not self.wit(r, k):
                    rij += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    rij += 'L'
                elif (r, k) in self.verlicht():
                    rij += '*'
                else:
                    rij += '_'
            lijst.append(rij)
        return '\n'.join(lijst)

# testen
puzzel = Akari(6, 6, 'akari.txt')
print(puzzel)
puzzel.plaats_lamp(2, 1)
print(puzzel)
print(puzzel.isopgelost())
