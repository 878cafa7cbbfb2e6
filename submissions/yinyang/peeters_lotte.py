class YinYang:

    """
    Klasse die een Yin-Yang puzzel voorstelt.

    Het rooster is een lijst van lijsten met voor elk vakje het karakter dat getoond wordt.
    """

    def __init__(self, dimensie, wit, zwart):

        self.dimensie = dimensie
        self.rooster = [['-'] * dimensie for _ in range(dimensie)]

        for letter, vakjes in (('W', wit), ('B', zwart)):
            for vakje in vakjes:
                assert self.kan_kleuren(vakje, letter), 'ongeldige puzzel'
                rij, kolom = vakje
                self.rooster[rij][kolom] = letter

    def geldig(self, positie):

        """
        Geeft aan of de positie in het rooster ligt.
        """

        rij, kolom = positie
        return 0 <= rij < self.dimensie and 0 <= kolom < self.dimensie

    def kleur(self, positie):

        """
        Geeft de kleur op de positie: 'W', 'B' of '-' (leeg of buiten het rooster).
        """

        if not self.geldig(positie):
            return '-'
        rij, kolom = positie
        return self.rooster[rij][kolom].upper()

    def kan_kleuren(self, positie, kleur):

        """
        Geeft aan of het vakje op de positie de kleur ('W' of 'B') mag krijgen.
        """

        if not self.geldig(positie) or self.kleur(positie) != '-':
            return False

        # controleren of er geen 2x2 vierkant gevormd wordt
        rij, kolom = positie
        for r in (rij - 1, rij + 1):
            for k in (kolom - 1, kolom + 1):
                if self.kleur((r, k)) == self.kleur((r, kolom)) == self.kleur((rij, k)) == kleur:
                    return False

        return True

    def maak_wit(self, positie):

        assert self.kan_kleuren(positie, 'W'), 'ongeldige actie'
        rij, kolom = positie
        self.rooster[rij][kolom] = 'w'
        return self

    def maak_zwart(self, positie):

        assert self.kan_kleuren(positie, 'B'), 'ongeldige actie'
        rij, kolom = positie
        self.rooster[rij][kolom] = 'b'
        return self

    def maak_leeg(self, positie):

        assert self.geldig(positie), 'ongeldige actie'
        rij, kolom = positie
        # vakjes met een hoofdletter komen uit de opgave, '-' is al leeg
        assert self.rooster[rij][kolom].islower(), 'ongeldige actie'
        self.rooster[rij][kolom] = '-'
        return self

    def aaneengesloten_gebied(self, positie):

        kleur = self.kleur(positie)
        if kleur == '-':
            return set()

        gebied, te_onderzoeken = {positie}, {positie}
        while te_onderzoeken:
            rij, kolom = te_onderzoeken.pop()
            for buur in ((rij - 1, kolom), (rij + 1, kolom), (rij, kolom - 1), (rij, kolom + 1)):
                if self.kleur(buur) == kleur and buur not in gebied:
                    gebied.add(buur)
                    te_onderzoeken.add(buur)

        return gebied

    def isopgelost(self):

        gebieden = {'W': set(), 'B': set(), '-': set()}
        for rij in range(self.dimensie):
            for kolom in range(self.dimensie):
                gebied = frozenset(self.aaneengesloten_gebied((rij, kolom)))
                gebieden[self.kleur((rij, kolom))].add(gebied)

        # geen lege vakjes en per kleur hoogstens een gebied
        return not gebieden['-'] and len(gebieden['W']) <= 1 and len(gebieden['B']) <= 1

    def __str__(self):

        return '\n'.join(''.join(rij) for rij in self.rooster)
