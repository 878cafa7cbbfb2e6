# Stan Michiels
# gemaakt in Kladblok, want PyCharm wou niet meer openen… één keer herbegonnen

class Akari:

    def __init__(self, aantal_rijen, aantal_kolommen, bestand):
        self.aantal_rijen = aantal_rijen
        self.aantal_kolommen = aantal_kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(bestand, 'r') as f:
            regels = f.readlines()
        for regel in regels:
            regel = regel.rstrip('\n')
            if regel == '':
                continue
            rij, kolom, markering = regel.split(' ')
            self.zwarte_cellen[(int(rij), int(kolom))] = markering

    def in_rooster(self, rij, kolom):
        return 0 <= rij < self.aantal_rijen and 0 <= kolom < self.aantal_kolommen

    def stralen(self, rij, kolom):
        """
        Geeft de cellen die verlicht worden door een lamp op (rij, kolom).
        """
        cellen = set()
        for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, k = rij, kolom
            while True:
                r += i
                k += j
                if not self.in_rooster(r, k):
                    break
                if (r, k) in self.zwarte_cellen:
                    break
                cellen.add((r, k))
        return cellen

    def verlicht(self):
        cellen = set()
        for rij, kolom in self.lampen:
            cellen.update(self.stralen(rij, kolom))
        return cellen

    def aantal_lampen(self, rij, kolom):
        return len(self.lampen.intersection([(rij - 1, kolom), (rij + 1, kolom), (rij, kolom - 1), (rij, kolom + 1)]))

    def plaats_lamp(self, rij, kolom):
        if not self.in_rooster(rij, kolom) or (rij, kolom) in self.zwarte_cellen:
            raise AssertionError('ongeldige positie')
        if (rij, kolom) in self.lampen or (rij, kolom) in self.verlicht():
            raise AssertionError('ongeldige positie')
        for r, k in ((rij - 1, kolom), (rij + 1, kolom), (rij, kolom - 1), (rij, kolom + 1)):
            if (r, k) in self.zwarte_cellen:
                markering = self.zwarte_cellen[(r, k)]
                if markering != '?' and self.aantal_lampen(r, k) == int(markering):
                    raise AssertionError('ongeldige positie')
        self.lampen.add((rij, kolom))

    def verwijder_lamp(self, rij, kolom):
        if (rij, kolom) not in self.lampen:
            raise AssertionError('ongeldige positie')
        self.lampen.remove((rij, kolom))

    def isopgelost(self):
        for (rij, kolom), markering in self.zwarte_cellen.items():
            if markering != '?' and self.aantal_lampen(rij, kolom) != int(markering):
                return False
        return '_' not in str(self)

    def __str__(self):
        tekst = ''
        verlicht = self.verlicht()
        for rij in range(self.aantal_rijen):
            for kolom in range(self.aantal_kolommen):
                cel = (rij, kolom)
                if cel in self.zwarte_cellen:
                    tekst += self.zwarte_cellen[cel]
                elif cel in self.lampen:
                    tekst += 'L'
                elif cel in verlicht:
                    tekst += '*'
                else:
                    tekst += '_'
            tekst += '\n'
        return tekst[:-1]
