# Yin-Yang: één klasse voor de puzzel
# Auteur: Ine Cools, 1ste bachelor

class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie

        # coördinaten van de gegeven vakjes, zó kan je ze nooit meer leegmaken
        self.gegeven = {}
        for kleur, posities in (('W', wit), ('B', zwart)):
            for positie in posities:
                if positie in self.gegeven or not self.in_rooster(positie):
                    raise AssertionError('ongeldige puzzel')
                self.gegeven[positie] = kleur

        # vakjes die geïnkleurd werden
        self.extra = {}

        # geen enkel vierkant mag uit één kleur bestaan
        for positie, kleur in self.gegeven.items():
            if self.maakt_vierkant(positie, kleur):
                raise AssertionError('ongeldige puzzel')

    def in_rooster(self, positie):
        rij, kolom = positie
        return rij in range(self.dimensie) and kolom in range(self.dimensie)

    def teken(self, positie):
        return self.gegeven.get(positie, self.extra.get(positie, '-'))

    def kleur(self, positie):
        return self.teken(positie).upper()

    def maakt_vierkant(self, positie, kleur):
        rij, kolom = positie
        for v in -1, 1:
            for h in -1, 1:
                if self.kleur((rij + v, kolom)) == kleur:
                    if self.kleur((rij, kolom + h)) == kleur:
                        if self.kleur((rij + v, kolom + h)) == kleur:
                            return True
        return False

    def inkleuren(self, positie, kleur):
        # drie mogelijke fouten: buiten het rooster, niet leeg, of een vierkant
        if not self.in_rooster(positie) or self.teken(positie) != '-' or self.maakt_vierkant(positie, kleur.upper()):
            raise AssertionError('ongeldige actie')
        self.extra[positie] = kleur
        return self

    def maak_wit(self, positie):
        return self.inkleuren(positie, 'w')

    def maak_zwart(self, positie):
        return self.inkleuren(positie, 'b')

    def maak_leeg(self, positie):
        # enkel geïnkleurde vakjes
        if positie not in self.extra:
            raise AssertionError('ongeldige actie')
        del self.extra[positie]
        return self

    def aaneengesloten_gebied(self, positie):
        if self.teken(positie) == '-':
            return set()
        gebied = {positie}
        te_doen = [positie]
        for rij, kolom in te_doen:
            for buur in (rij, kolom + 1), (rij + 1, kolom), (rij, kolom - 1), (rij - 1, kolom):
                if buur not in gebied and self.kleur(buur) == self.kleur(positie):
                    gebied.add(buur)
                    te_doen.append(buur)
        return gebied

    def isopgelost(self):
        alle = list(self.gegeven) + list(self.extra)
        if len(alle) < self.dimensie ** 2:
            return False
        # alle gebieden; er moeten er precies twee overblijven (één witte en één zwarte)
        return len({frozenset(self.aaneengesloten_gebied(positie)) for positie in alle}) == 2

    def __str__(self):
        return '\n'.join(
            ''.join(self.teken((rij, kolom)) for kolom in range(self.dimensie))
            for rij in range(self.dimensie)
        )
