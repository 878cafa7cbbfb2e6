"""Leest elke kleur uit de eigen stringvoorstelling, en zoekt gebieden ronde na ronde: traag, en juist."""

class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        for p in list(wit) + list(zwart):
            assert 0 <= p[0] < dimensie and 0 <= p[1] < dimensie, 'ongeldige puzzel'
        assert not set(wit) & set(zwart), 'ongeldige puzzel'
        self.vast = {**{p: 'W' for p in wit}, **{p: 'B' for p in zwart}}
        self.los = {}
        for p, k in self.vast.items():
            assert not self.vierkant(p, k.lower()), 'ongeldige puzzel'
    def kleur(self, p):
        r, k = p
        if not self.binnen(p):
            return None
        teken = str(self).split('\n')[r][k].lower()
        return None if teken == '-' else teken
    def vierkant(self, p, kleur):
        r, k = p
        for dr in (-1, 1):
            for dk in (-1, 1):
                if self.kleur((r + dr, k)) == self.kleur((r, k + dk)) == self.kleur((r + dr, k + dk)) == kleur:
                    return True
        return False
    def binnen(self, p):
        return 0 <= p[0] < self.n and 0 <= p[1] < self.n
    def _maak(self, p, kleur):
        assert self.binnen(p) and self.kleur(p) is None and not self.vierkant(p, kleur), 'ongeldige actie'
        self.los[p] = kleur
        return self
    def maak_wit(self, p): return self._maak(p, 'w')
    def maak_zwart(self, p): return self._maak(p, 'b')
    def maak_leeg(self, p):
        assert p in self.los, 'ongeldige actie'
        del self.los[p]
        return self
    def aaneengesloten_gebied(self, p):
        if not self.binnen(p) or self.kleur(p) is None:
            return set()
        gebied = [p]
        gewijzigd = True
        while gewijzigd:
            gewijzigd = False
            for r in range(self.n):
                for k in range(self.n):
                    if (r, k) not in gebied and self.kleur((r, k)) == self.kleur(p):
                        for buur in ((r-1, k), (r+1, k), (r, k-1), (r, k+1)):
                            if buur in gebied and (r, k) not in gebied:
                                gebied.append((r, k))
                                gewijzigd = True
        return set(gebied)
    def isopgelost(self):
        if '-' in str(self):
            return False
        # elk vakje moet in hetzelfde gebied liggen als elk ander vakje van die kleur
        for r in range(self.n):
            for k in range(self.n):
                gebied = self.aaneengesloten_gebied((r, k))
                for i in range(self.n):
                    for j in range(self.n):
                        if self.kleur((i, j)) == self.kleur((r, k)) and (i, j) not in gebied:
                            return False
        return True
    def __str__(self):
        s = ''
        for r in range(self.n):
            for k in range(self.n):
                s += self.vast.get((r, k), self.los.get((r, k), '-'))
            s += '\n'
        return s[:-1]
