"""Er wordt niet nagekeken of de cel al door een andere lamp verlicht wordt."""
# verliest: plaats_lamp


class Akari():
    """
    Klasse voor een akaripuzzel.
    """

    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        # leeg rooster maken
        self.rooster = []
        for r in range(rijen):
            rij = []
            for k in range(kolommen):
                rij.append('_')
            self.rooster.append(rij)
        self.zwarte_cellen = dict()
        self.lampen = set()
        # zwarte cellen in het rooster zetten
        tekstbestand = open(locatie, 'r')
        for regel in tekstbestand.readlines():
            woorden = regel.split()
            if len(woorden) == 3:
                r, k = int(woorden[0]), int(woorden[1])
                self.zwarte_cellen[(r, k)] = woorden[2]
                self.rooster[r][k] = woorden[2]
        tekstbestand.close()

    def stralen(self, r, k):
        """ geeft de cellen die vanuit (i, j) verlicht worden """
        cellen = set()
        # naar boven
        rij = r - 1
        while rij >= 0 and self.rooster[rij][k] in '_L':
            cellen.add((rij, k))
            rij -= 1
        # naar onder
        rij = r + 1
        while rij < self.rijen and self.rooster[rij][k] in '_L':
            cellen.add((rij, k))
            rij += 1
        # naar links
        kolom = k - 1
        while kolom >= 0 and self.rooster[r][kolom] in '_L':
            cellen.add((r, kolom))
            kolom -= 1
        # naar rechts
        kolom = k + 1
        while kolom < self.kolommen and self.rooster[r][kolom] in '_L':
            cellen.add((r, kolom))
            kolom += 1
        return cellen

    def verlicht(self):
        """ geeft alle cellen die verlicht worden """
        cellen = set()
        for lamp in self.lampen:
            cellen.update(self.stralen(lamp[0], lamp[1]))
        return cellen

    def tel_lampen(self, r, k):
        """ telt de lampen rond cel (i, j) """
        teller = 0
        if r > 0 and self.rooster[r - 1][k] == 'L':
            teller += 1
        if r < self.rijen - 1 and self.rooster[r + 1][k] == 'L':
            teller += 1
        if k > 0 and self.rooster[r][k - 1] == 'L':
            teller += 1
        if k < self.kolommen - 1 and self.rooster[r][k + 1] == 'L':
            teller += 1
        return teller

    def plaats_lamp(self, r, k):
        """ plaatst een lamp op (i, j) als dat kan """
        assert 0 <= r < self.rijen, 'ongeldige positie'
        assert 0 <= k < self.kolommen, 'ongeldige positie'
        assert self.rooster[r][k] == '_', 'ongeldige positie'
        for x, y in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
            if (x, y) in self.zwarte_cellen:
                getal = self.zwarte_cellen[(x, y)]
                if getal != '?':
                    assert self.tel_lampen(x, y) + 1 <= int(getal), 'ongeldige positie'
        self.rooster[r][k] = 'L'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        """ haalt de lamp op (i, j) weg """
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.rooster[r][k] = '_'
        self.lampen.remove((r, k))

    def isopgelost(self):
        """ True als de puzzel opgelost is, anders False """
        # eerst de getallen
        for cel, getal in self.zwarte_cellen.items():
            if getal != '?':
                if self.tel_lampen(cel[0], cel[1]) != int(getal):
                    return False
        # dan het licht
        if '_' in str(self):
            return False
        return True

    def __str__(self):
        verlichte_cellen = self.verlicht()
        regels = []
        for r in range(self.rijen):
            regel = ''
            for k in range(self.kolommen):
                if (r, k) in verlichte_cellen:
                    regel += '*'
                else:
                    regel += self.rooster[r][k]
            regels.append(regel)
        return '\n'.join(regels)
