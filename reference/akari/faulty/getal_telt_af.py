"""Het getal op een zwarte cel wordt verminderd telkens er een lamp naast komt."""
# verliest: str


class Akari():
    """
    Klasse voor een akaripuzzel.
    """

    def __init__(self, aantal_rijen, aantal_kolommen, locatie):
        self.aantal_rijen = aantal_rijen
        self.aantal_kolommen = aantal_kolommen
        # leeg rooster maken
        self.rooster = []
        for i in range(aantal_rijen):
            rij = []
            for j in range(aantal_kolommen):
                rij.append('_')
            self.rooster.append(rij)
        self.zwarte_cellen = dict()
        self.lampen = set()
        # zwarte cellen in het rooster zetten
        tekstbestand = open(locatie, 'r')
        for regel in tekstbestand.readlines():
            woorden = regel.split()
            if len(woorden) == 3:
                i, j = int(woorden[0]), int(woorden[1])
                self.zwarte_cellen[(i, j)] = woorden[2]
                self.rooster[i][j] = woorden[2]
        tekstbestand.close()

    def stralen(self, i, j):
        """ geeft de cellen die vanuit (i, j) verlicht worden """
        cellen = set()
        # naar boven
        rij = i - 1
        while rij >= 0 and self.rooster[rij][j] in '_L':
            cellen.add((rij, j))
            rij -= 1
        # naar onder
        rij = i + 1
        while rij < self.aantal_rijen and self.rooster[rij][j] in '_L':
            cellen.add((rij, j))
            rij += 1
        # naar links
        kolom = j - 1
        while kolom >= 0 and self.rooster[i][kolom] in '_L':
            cellen.add((i, kolom))
            kolom -= 1
        # naar rechts
        kolom = j + 1
        while kolom < self.aantal_kolommen and self.rooster[i][kolom] in '_L':
            cellen.add((i, kolom))
            kolom += 1
        return cellen

    def verlicht(self):
        """ geeft alle cellen die verlicht worden """
        cellen = set()
        for lamp in self.lampen:
            cellen.update(self.stralen(lamp[0], lamp[1]))
        return cellen

    def pas_getallen_aan(self, i, j, verschil):
        """ past de getallen rond een lamp aan: zoveel lampen moeten er nog bij """
        for x, y in [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]:
            if (x, y) in self.zwarte_cellen and self.zwarte_cellen[(x, y)] != '?':
                nieuw = str(int(self.zwarte_cellen[(x, y)]) + verschil)
                self.zwarte_cellen[(x, y)] = nieuw
                self.rooster[x][y] = nieuw

    def plaats_lamp(self, i, j):
        """ plaatst een lamp op (i, j) als dat kan """
        assert 0 <= i < self.aantal_rijen, 'ongeldige positie'
        assert 0 <= j < self.aantal_kolommen, 'ongeldige positie'
        assert self.rooster[i][j] == '_', 'ongeldige positie'
        assert (i, j) not in self.verlicht(), 'ongeldige positie'
        for x, y in [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]:
            if (x, y) in self.zwarte_cellen:
                getal = self.zwarte_cellen[(x, y)]
                if getal != '?':
                    assert int(getal) > 0, 'ongeldige positie'
        self.pas_getallen_aan(i, j, -1)
        self.rooster[i][j] = 'L'
        self.lampen.add((i, j))

    def verwijder_lamp(self, i, j):
        """ haalt de lamp op (i, j) weg """
        assert (i, j) in self.lampen, 'ongeldige positie'
        self.pas_getallen_aan(i, j, 1)
        self.rooster[i][j] = '_'
        self.lampen.remove((i, j))

    def isopgelost(self):
        """ True als de puzzel opgelost is, anders False """
        # eerst de getallen
        for cel, getal in self.zwarte_cellen.items():
            if getal != '?':
                if int(getal) != 0:
                    return False
        # dan het licht
        if '_' in str(self):
            return False
        return True

    def __str__(self):
        verlichte_cellen = self.verlicht()
        regels = []
        for i in range(self.aantal_rijen):
            regel = ''
            for j in range(self.aantal_kolommen):
                if (i, j) in verlichte_cellen:
                    regel += '*'
                else:
                    regel += self.rooster[i][j]
            regels.append(regel)
        return '\n'.join(regels)
