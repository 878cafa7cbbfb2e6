"""Een ongeldige opgave krijgt de boodschap van een ongeldige actie."""
# verliest: YinYang


class YinYang:

    def __init__(self, dimensie, wit, zwart):

        # controleer of een vakje niet twee kleuren krijgt
        assert not set(wit) & set(zwart), 'ongeldige actie'

        self.n = dimensie

        # controleer of alle posities in het raster liggen
        for positie in list(wit) + list(zwart):
            assert self.in_raster(positie), 'ongeldige actie'

        # maak het raster
        self.raster = [['-' for _ in range(dimensie)] for _ in range(dimensie)]
        for r, k in wit:
            self.raster[r][k] = 'W'
        for r, k in zwart:
            self.raster[r][k] = 'B'

        # controleer of er geen vierkanten in de opgave zitten
        assert not self.vierkant('W'), 'ongeldige actie'
        assert not self.vierkant('B'), 'ongeldige actie'

    def in_raster(self, positie):

        r, k = positie
        return 0 <= r < self.n and 0 <= k < self.n

    def vierkant(self, kleur):

        """
        Geeft True als er ergens een 2x2 vierkant van de kleur staat.
        """

        kleuren = kleur.upper(), kleur.lower()
        for r in range(self.n - 1):
            for k in range(self.n - 1):
                vakjes = self.raster[r][k:k + 2] + self.raster[r + 1][k:k + 2]
                if all(vakje in kleuren for vakje in vakjes):
                    return True
        return False

    def maak_kleur(self, positie, kleur):

        # vakje moet in het raster liggen en leeg zijn
        assert self.in_raster(positie), 'ongeldige actie'
        r, k = positie
        assert self.raster[r][k] == '-', 'ongeldige actie'

        # vakje kleuren, en terug leegmaken als er een vierkant ontstaat
        self.raster[r][k] = kleur
        if self.vierkant(kleur):
            self.raster[r][k] = '-'
            raise AssertionError('ongeldige actie')

        return self

    def maak_wit(self, positie):

        return self.maak_kleur(positie, 'w')

    def maak_zwart(self, positie):

        return self.maak_kleur(positie, 'b')

    def maak_leeg(self, positie):

        assert self.in_raster(positie), 'ongeldige actie'
        r, k = positie
        assert self.raster[r][k] in ('w', 'b'), 'ongeldige actie'
        self.raster[r][k] = '-'

        return self

    def aaneengesloten_gebied(self, positie):

        if not self.in_raster(positie):
            return set()
        r, k = positie
        kleur = self.raster[r][k].lower()
        if kleur == '-':
            return set()

        # flood fill
        gebied, todo = {positie}, {positie}
        while todo:
            r, k = todo.pop()
            for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
                if self.in_raster(buur) and buur not in gebied:
                    if self.raster[buur[0]][buur[1]].lower() == kleur:
                        gebied.add(buur)
                        todo.add(buur)

        return gebied

    def isopgelost(self):

        posities = {'w': set(), 'b': set(), '-': set()}
        for r in range(self.n):
            for k in range(self.n):
                posities[self.raster[r][k].lower()].add((r, k))

        # er mogen geen lege vakjes meer zijn
        if posities['-']:
            return False

        # elke kleur moet uit een enkel gebied bestaan
        for kleur in 'wb':
            for positie in posities[kleur]:
                if self.aaneengesloten_gebied(positie) != posities[kleur]:
                    return False

        return True

    def __str__(self):

        return '\n'.join(''.join(rij) for rij in self.raster)
