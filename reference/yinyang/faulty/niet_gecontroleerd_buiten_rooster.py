"""Een actie controleert niet of de positie in het rooster ligt, en geeft dan een IndexError."""
# verliest: maak_wit, maak_zwart, maak_leeg


class YinYang:

    def __init__(self, dimensie, wit, zwart):

        # controleer of een vakje niet twee kleuren krijgt
        assert not set(wit) & set(zwart), 'ongeldige puzzel'

        self.n = dimensie

        # controleer of alle posities in het rooster liggen
        for positie in list(wit) + list(zwart):
            assert self.in_rooster(positie), 'ongeldige puzzel'

        # maak het rooster
        self.rooster = [['-' for _ in range(dimensie)] for _ in range(dimensie)]
        for r, k in wit:
            self.rooster[r][k] = 'W'
        for r, k in zwart:
            self.rooster[r][k] = 'B'

        # controleer of er geen vierkanten in de opgave zitten
        assert not self.is_vierkant('W'), 'ongeldige puzzel'
        assert not self.is_vierkant('B'), 'ongeldige puzzel'

    def in_rooster(self, positie):

        r, k = positie
        return 0 <= r < self.n and 0 <= k < self.n

    def is_vierkant(self, kleur):

        """
        Geeft True als er ergens een 2x2 is_vierkant van de kleur staat.
        """

        kleuren = kleur.upper(), kleur.lower()
        for r in range(self.n - 1):
            for k in range(self.n - 1):
                vakjes = self.rooster[r][k:k + 2] + self.rooster[r + 1][k:k + 2]
                if all(vakje in kleuren for vakje in vakjes):
                    return True
        return False

    def kleur_vakje(self, positie, kleur):

        # vakje moet leeg zijn
        r, k = positie
        assert self.rooster[r][k] == '-', 'ongeldige actie'

        # vakje kleuren, en terug leegmaken als er een is_vierkant ontstaat
        self.rooster[r][k] = kleur
        if self.is_vierkant(kleur):
            self.rooster[r][k] = '-'
            raise AssertionError('ongeldige actie')

        return self

    def maak_wit(self, positie):

        return self.kleur_vakje(positie, 'w')

    def maak_zwart(self, positie):

        return self.kleur_vakje(positie, 'b')

    def maak_leeg(self, positie):

        r, k = positie
        assert self.rooster[r][k] in ('w', 'b'), 'ongeldige actie'
        self.rooster[r][k] = '-'

        return self

    def aaneengesloten_gebied(self, positie):

        if not self.in_rooster(positie):
            return set()
        r, k = positie
        kleur = self.rooster[r][k].lower()
        if kleur == '-':
            return set()

        # flood fill
        gebied, todo = {positie}, {positie}
        while todo:
            r, k = todo.pop()
            for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
                if self.in_rooster(buur) and buur not in gebied:
                    if self.rooster[buur[0]][buur[1]].lower() == kleur:
                        gebied.add(buur)
                        todo.add(buur)

        return gebied

    def isopgelost(self):

        posities = {'w': set(), 'b': set(), '-': set()}
        for r in range(self.n):
            for k in range(self.n):
                posities[self.rooster[r][k].lower()].add((r, k))

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

        return '\n'.join(''.join(rij) for rij in self.rooster)
