# oefening Akari

bestandsnaam = input('Geef de naam van het bestand: ')

class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        tekst = open(bestand)
        for lijn in tekst:
            stukjes = lijn.strip().split()
            if len(stukjes) > 0:
                self.zwarte_cellen[(int(stukjes[0]), int(stukjes[1]))] = stukjes[2]
        tekst.close()

    def binnen(self, cel):
        return cel[0] >= 0 and cel[0] < self.rijen and cel[1] >= 0 and cel[1] < self.kolommen

    def stralen(self, r, k):
        uit = set()
        for richting in 'NOZW':
            i, j = r, k
            gaverder = True
            while gaverder:
                if richting == 'N': i -= 1
                elif richting == 'Z': i += 1
                elif richting == 'W': j -= 1
                else: j += 1
                if not self.binnen((i, j)) or (i, j) in self.zwarte_cellen:
                    gaverder = False
                else:
                    uit.add((i, j))
        return uit

    def verlicht(self):
        uit = set()
        for (r, k) in self.lampen:
            uit = uit | self.stralen(r, k)
        return uit

    def tel(self, r, k):
        return sum([1 for c in [(r-1, k), (r+1, k), (r, k-1), (r, k+1)] if c in self.lampen])

    def plaats_lamp(self, r, k):
        fout = False
        if not self.binnen((r, k)): fout = True
        if (r, k) in self.zwarte_cellen: fout = True
        if (r, k) in self.lampen: fout = True
        if (r, k) in self.verlicht(): fout = True
        for c in [(r-1, k), (r+1, k), (r, k-1), (r, k+1)]:
            if c in self.zwarte_cellen and self.zwarte_cellen[c] != '?' and self.tel(c[0], c[1]) >= int(self.zwarte_cellen[c]):
                fout = True
        assert not fout, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        ok = True
        for c in self.zwarte_cellen:
            if self.zwarte_cellen[c] != '?' and self.tel(c[0], c[1]) != int(self.zwarte_cellen[c]):
                ok = False
        if '_' in str(self):
            ok = False
        return ok

    def __str__(self):
        uit = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.lampen:
                    uit += 'L'
                elif (r, k) in self.verlicht():
                    uit += '*'
                elif (r, k) in self.zwarte_cellen:
                    uit += self.zwarte_cellen[(r, k)]
                else:
                    uit += '_'
            uit += '\n'
        return uit.strip('\n')

puzzel = Akari(6, 6, bestandsnaam)
print(puzzel)
