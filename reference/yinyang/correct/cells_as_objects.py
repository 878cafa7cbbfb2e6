"""Every cell is an object with a class that knows its neighbours and the squares it lies in."""


class Vakje:

    def __init__(self, rij, kolom):
        self.rij = rij
        self.kolom = kolom
        self.kleur = None       # None, 'wit' of 'zwart'
        self.vast = False
        self.buren = []
        self.vierkanten = []

    def is_leeg(self):
        return self.kleur is None

    def in_vierkant(self):
        for vierkant in self.vierkanten:
            if not self.is_leeg() and all(v.kleur == self.kleur for v in vierkant):
                return True
        return False

    def __str__(self):
        if self.is_leeg():
            return '-'
        letter = 'w' if self.kleur == 'wit' else 'b'
        return letter.upper() if self.vast else letter


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.vakjes = {}
        for r in range(dimensie):
            for k in range(dimensie):
                self.vakjes[r, k] = Vakje(r, k)
        for (r, k), vakje in self.vakjes.items():
            for buur in ((r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)):
                if buur in self.vakjes:
                    vakje.buren.append(self.vakjes[buur])
        for r in range(dimensie - 1):
            for k in range(dimensie - 1):
                vierkant = [self.vakjes[r, k], self.vakjes[r, k + 1],
                            self.vakjes[r + 1, k], self.vakjes[r + 1, k + 1]]
                for vakje in vierkant:
                    vakje.vierkanten.append(vierkant)
        # de opgave invullen
        self.vul_in(wit, 'wit')
        self.vul_in(zwart, 'zwart')
        if any(vakje.in_vierkant() for vakje in self.vakjes.values()):
            raise AssertionError('ongeldige puzzel')

    def vul_in(self, posities, kleur):
        for positie in posities:
            if positie not in self.vakjes:
                raise AssertionError('ongeldige puzzel')
            vakje = self.vakjes[positie]
            if not vakje.is_leeg() and vakje.kleur != kleur:
                raise AssertionError('ongeldige puzzel')
            vakje.kleur = kleur
            vakje.vast = True

    def maak_kleur(self, positie, kleur):
        vakje = self.vakjes.get(positie)
        if vakje is None or not vakje.is_leeg():
            raise AssertionError('ongeldige actie')
        vakje.kleur = kleur
        if vakje.in_vierkant():
            vakje.kleur = None
            raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, positie):
        return self.maak_kleur(positie, 'wit')

    def maak_zwart(self, positie):
        return self.maak_kleur(positie, 'zwart')

    def maak_leeg(self, positie):
        vakje = self.vakjes.get(positie)
        if vakje is None or vakje.is_leeg() or vakje.vast:
            raise AssertionError('ongeldige actie')
        vakje.kleur = None
        return self

    def aaneengesloten_gebied(self, positie):
        vakje = self.vakjes.get(positie)
        if vakje is None or vakje.is_leeg():
            return set()
        gebied = {vakje}
        te_doen = [vakje]
        while te_doen:
            huidig = te_doen.pop(0)
            for buur in huidig.buren:
                if buur.kleur == huidig.kleur and buur not in gebied:
                    gebied.add(buur)
                    te_doen.append(buur)
        return {(v.rij, v.kolom) for v in gebied}

    def isopgelost(self):
        alle = self.vakjes.values()
        if any(v.is_leeg() for v in alle) or any(v.in_vierkant() for v in alle):
            return False
        gebieden = []
        for positie in self.vakjes:
            gebied = self.aaneengesloten_gebied(positie)
            if gebied not in gebieden:
                gebieden.append(gebied)
        kleuren = [self.vakjes[min(gebied)].kleur for gebied in gebieden]
        # elke kleur precies één gebied
        return kleuren.count('wit') == 1 and kleuren.count('zwart') == 1

    def __str__(self):
        rijen = []
        for r in range(self.dimensie):
            rijen.append(''.join(str(self.vakjes[r, k]) for k in range(self.dimensie)))
        return '\n'.join(rijen)
