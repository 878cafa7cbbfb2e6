"""Ook vakjes die achteraf gekleurd werden, worden als hoofdletter getoond."""
# verliest: str


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
        for rij_nr, kol_nr in wit:
            self.rooster[rij_nr][kol_nr] = 'W'
        for rij_nr, kol_nr in zwart:
            self.rooster[rij_nr][kol_nr] = 'B'

        # controleer of er geen vierkanten in de opgave zitten
        assert not self.vierkant('W'), 'ongeldige puzzel'
        assert not self.vierkant('B'), 'ongeldige puzzel'

    def in_rooster(self, positie):

        rij_nr, kol_nr = positie
        return 0 <= rij_nr < self.n and 0 <= kol_nr < self.n

    def vierkant(self, kleur):

        """
        Geeft True als er ergens een 2x2 vierkant van de kleur staat.
        """

        kleuren = kleur.upper(), kleur.lower()
        for rij_nr in range(self.n - 1):
            for kol_nr in range(self.n - 1):
                vakjes = self.rooster[rij_nr][kol_nr:kol_nr + 2] + self.rooster[rij_nr + 1][kol_nr:kol_nr + 2]
                if all(vakje in kleuren for vakje in vakjes):
                    return True
        return False

    def maak_kleur(self, positie, kleur):

        # vakje moet in het rooster liggen en leeg zijn
        assert self.in_rooster(positie), 'ongeldige actie'
        rij_nr, kol_nr = positie
        assert self.rooster[rij_nr][kol_nr] == '-', 'ongeldige actie'

        # vakje kleuren, en terug leegmaken als er een vierkant ontstaat
        self.rooster[rij_nr][kol_nr] = kleur
        if self.vierkant(kleur):
            self.rooster[rij_nr][kol_nr] = '-'
            raise AssertionError('ongeldige actie')

        return self

    def maak_wit(self, positie):

        return self.maak_kleur(positie, 'w')

    def maak_zwart(self, positie):

        return self.maak_kleur(positie, 'b')

    def maak_leeg(self, positie):

        assert self.in_rooster(positie), 'ongeldige actie'
        rij_nr, kol_nr = positie
        assert self.rooster[rij_nr][kol_nr] in ('w', 'b'), 'ongeldige actie'
        self.rooster[rij_nr][kol_nr] = '-'

        return self

    def aaneengesloten_gebied(self, positie):

        if not self.in_rooster(positie):
            return set()
        rij_nr, kol_nr = positie
        kleur = self.rooster[rij_nr][kol_nr].lower()
        if kleur == '-':
            return set()

        # flood fill
        gebied, todo = {positie}, {positie}
        while todo:
            rij_nr, kol_nr = todo.pop()
            for buur in [(rij_nr - 1, kol_nr), (rij_nr + 1, kol_nr), (rij_nr, kol_nr - 1), (rij_nr, kol_nr + 1)]:
                if self.in_rooster(buur) and buur not in gebied:
                    if self.rooster[buur[0]][buur[1]].lower() == kleur:
                        gebied.add(buur)
                        todo.add(buur)

        return gebied

    def isopgelost(self):

        posities = {'w': set(), 'b': set(), '-': set()}
        for rij_nr in range(self.n):
            for kol_nr in range(self.n):
                posities[self.rooster[rij_nr][kol_nr].lower()].add((rij_nr, kol_nr))

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

        tekst = ''
        for rij in self.rooster:
            tekst += ''.join(rij).upper() + '\n'
        return tekst[:-1]
