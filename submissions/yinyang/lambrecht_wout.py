class Vakje:
    def __init__(self):
        self.kleur = None
        self.vast = False

    def __str__(self):
        if self.kleur is None:
            return '-'
        letter = 'w' if self.kleur == 'wit' else 'b'
        return letter.upper() if self.vast else letter


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.vakjes = [[Vakje() for kolom in range(dimensie)] for rij in range(dimensie)]
        try:
            for positie in wit:
                self.kleuren(positie, 'wit').vast = True
            for positie in zwart:
                self.kleuren(positie, 'zwart').vast = True
        except AssertionError:
            raise AssertionError('ongeldige puzzel')

    def vakje(self, positie):
        rij, kolom = positie
        if 0 <= rij < self.dimensie and 0 <= kolom < self.dimensie:
            return self.vakjes[rij][kolom]
        return None

    def kleur(self, positie):
        vakje = self.vakje(positie)
        return vakje.kleur if vakje is not None else None

    def kleuren(self, positie, kleur):
        vakje = self.vakje(positie)
        assert vakje is not None and vakje.kleur is None, 'ongeldige actie'
        rij, kolom = positie
        for r in (-1, 1):
            for k in (-1, 1):
                hoek = {self.kleur((rij + r, kolom)), self.kleur((rij, kolom + k)), self.kleur((rij + r, kolom + k))}
                assert hoek != {kleur}, 'ongeldige actie'
        vakje.kleur = kleur
        return vakje

    def maak_wit(self, positie):
        self.kleuren(positie, 'wit')
        return self

    def maak_zwart(self, positie):
        self.kleuren(positie, 'zwart')
        return self

    def maak_leeg(self, positie):
        vakje = self.vakje(positie)
        assert vakje is not None and vakje.kleur is not None and not vakje.vast, 'ongeldige actie'
        vakje.kleur = None
        return self

    def aaneengesloten_gebied(self, positie):
        kleur = self.kleur(positie)
        if kleur is None:
            return set()
        gebied = set()
        te_bekijken = {positie}
        while te_bekijken:
            gebied |= te_bekijken
            volgende = set()
            for rij, kolom in te_bekijken:
                for buur in ((rij - 1, kolom), (rij + 1, kolom), (rij, kolom - 1), (rij, kolom + 1)):
                    if buur not in gebied and self.kleur(buur) == kleur:
                        volgende.add(buur)
            te_bekijken = volgende
        return gebied

    def isopgelost(self):
        al_gezien = {'wit': None, 'zwart': None}
        for rij in range(self.dimensie):
            for kolom in range(self.dimensie):
                kleur = self.kleur((rij, kolom))
                if kleur is None:
                    return False
                if al_gezien[kleur] is None:
                    al_gezien[kleur] = self.aaneengesloten_gebied((rij, kolom))
                if (rij, kolom) not in al_gezien[kleur]:
                    return False
        return True

    def __str__(self):
        return '\n'.join(''.join(str(vakje) for vakje in rij) for rij in self.vakjes)


# voorbeeld
puzzel = YinYang(dimensie=6, wit=[(2, 0), (1, 2), (3, 2), (5, 5)], zwart=[(2, 1), (2, 4), (3, 1), (4, 1), (4, 3), (5, 0)])
print(puzzel)
print(puzzel.maak_wit((0, 0)))
print(puzzel.maak_zwart((5, 1)))
print(puzzel.aaneengesloten_gebied((2, 1)))
print(puzzel.isopgelost())
