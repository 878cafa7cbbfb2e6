"""A dict from position to character, flood fill with G and T as in the text, assert with message everywhere."""


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        # collecties omzetten naar verzamelingen
        wit, zwart = set(wit), set(zwart)

        # geen gemeenschappelijke posities
        assert not wit & zwart, 'ongeldige puzzel'

        self.n = dimensie
        # alle posities liggen in het rooster
        assert all(self.binnen(p) for p in wit | zwart), 'ongeldige puzzel'

        # geen vierkanten van dezelfde kleur
        for kleur in (wit, zwart):
            for (r, k) in kleur:
                vierkant = {(r, k), (r + 1, k), (r, k + 1), (r + 1, k + 1)}
                assert not vierkant <= kleur, 'ongeldige puzzel'

        self.rooster = {(r, k): '-' for r in range(self.n) for k in range(self.n)}
        for p in wit:
            self.rooster[p] = 'W'
        for p in zwart:
            self.rooster[p] = 'B'

    def binnen(self, p):
        r, k = p
        return 0 <= r < self.n and 0 <= k < self.n

    def kleur(self, p):
        return self.rooster.get(p, '-').upper()

    def vormt_vierkant(self, p, kleur):
        r, k = p
        for dr in (-1, 1):
            for dk in (-1, 1):
                buren = [(r + dr, k), (r, k + dk), (r + dr, k + dk)]
                if all(self.kleur(buur) == kleur for buur in buren):
                    return True
        return False

    def maak(self, p, letter):
        assert self.binnen(p), 'ongeldige actie'
        assert self.rooster[p] == '-', 'ongeldige actie'
        assert not self.vormt_vierkant(p, letter.upper()), 'ongeldige actie'
        self.rooster[p] = letter
        return self

    def maak_wit(self, p):
        return self.maak(p, 'w')

    def maak_zwart(self, p):
        return self.maak(p, 'b')

    def maak_leeg(self, p):
        assert self.binnen(p), 'ongeldige actie'
        assert self.rooster[p] in ('w', 'b'), 'ongeldige actie'
        self.rooster[p] = '-'
        return self

    def aaneengesloten_gebied(self, p):
        if not self.binnen(p) or self.rooster[p] == '-':
            return set()
        G = {p}
        T = {p}
        while T:
            r, k = T.pop()
            for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
                if buur not in G and self.kleur(buur) == self.kleur(p):
                    G.add(buur)
                    T.add(buur)
        return G

    def isopgelost(self):
        if '-' in self.rooster.values():
            return False
        for kleur in 'WB':
            vakjes = {p for p in self.rooster if self.kleur(p) == kleur}
            if not vakjes:
                return False
            eerste = min(vakjes)
            if self.aaneengesloten_gebied(eerste) != vakjes:
                return False
        return True

    def __str__(self):
        return '\n'.join(
            ''.join(self.rooster[(r, k)] for k in range(self.n))
            for r in range(self.n)
        )
