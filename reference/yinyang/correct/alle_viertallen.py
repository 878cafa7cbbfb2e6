"""Bekijkt alle viertallen van gegeven vakjes, zoals de tekst het zegt: traag, en juist."""

from itertools import combinations

class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        for p in list(wit) + list(zwart):
            assert 0 <= p[0] < dimensie and 0 <= p[1] < dimensie, 'ongeldige puzzel'
        assert not set(wit) & set(zwart), 'ongeldige puzzel'
        self.vast = {**{p: 'W' for p in wit}, **{p: 'B' for p in zwart}}
        self.los = {}
        # geen vier posities die samen een 2x2 vierkant vormen
        for collectie in (wit, zwart):
            for vier in combinations(collectie, 4):
                rijen = {p[0] for p in vier}
                kolommen = {p[1] for p in vier}
                assert not (len(set(vier)) == 4 and len(rijen) == len(kolommen) == 2
                            and max(rijen) - min(rijen) == 1 and max(kolommen) - min(kolommen) == 1), 'ongeldige puzzel'
    def kleur(self, p):
        return {'W': 'w', 'B': 'b'}.get(self.vast.get(p), self.los.get(p))
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
        G, T = {p}, {p}
        while T:
            r, k = T.pop()
            for q in ((r-1, k), (r+1, k), (r, k-1), (r, k+1)):
                if q not in G and self.kleur(q) == self.kleur(p):
                    G.add(q); T.add(q)
        return G
    def isopgelost(self):
        for kleur in 'wb':
            alle = [(r, k) for r in range(self.n) for k in range(self.n) if self.kleur((r, k)) == kleur]
            if not alle or len(self.aaneengesloten_gebied(alle[0])) != len(alle):
                return False
        return len(self.vast) + len(self.los) == self.n ** 2
    def __str__(self):
        s = ''
        for r in range(self.n):
            for k in range(self.n):
                s += self.vast.get((r, k), self.los.get((r, k), '-'))
            s += '\n'
        return s[:-1]
