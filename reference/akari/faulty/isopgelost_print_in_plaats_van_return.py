"""isopgelost drukt True of False af in plaats van die waarde terug te geven."""
# verliest: isopgelost


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
        f = open(locatie, 'r')
        for regel in f.readlines():
            lijst = regel.split()
            if len(lijst) == 3:
                i, j = int(lijst[0]), int(lijst[1])
                self.zwarte_cellen[(i, j)] = lijst[2]
                self.rooster[i][j] = lijst[2]
        f.close()

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

    def tel_lampen(self, i, j):
        """ telt de lampen rond cel (i, j) """
        teller = 0
        if i > 0 and self.rooster[i - 1][j] == 'L':
            teller += 1
        if i < self.aantal_rijen - 1 and self.rooster[i + 1][j] == 'L':
            teller += 1
        if j > 0 and self.rooster[i][j - 1] == 'L':
            teller += 1
        if j < self.aantal_kolommen - 1 and self.rooster[i][j + 1] == 'L':
            teller += 1
        return teller

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
                    assert self.tel_lampen(x, y) + 1 <= int(getal), 'ongeldige positie'
        self.rooster[i][j] = 'L'
        self.lampen.add((i, j))

    def verwijder_lamp(self, i, j):
        """ haalt de lamp op (i, j) weg """
        assert (i, j) in self.lampen, 'ongeldige positie'
        self.rooster[i][j] = '_'
        self.lampen.remove((i, j))

    def isopgelost(self):
        """ kijkt of de puzzel opgelost is """
        opgelost = True
        # eerst de getallen
        for cel, getal in self.zwarte_cellen.items():
            if getal != '?':
                if self.tel_lampen(cel[0], cel[1]) != int(getal):
                    opgelost = False
        # dan het licht
        if '_' in str(self):
            opgelost = False
        print(opgelost)

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
