"""Lists of numbers with a border of zeros, squares by the sum of a 2 x 2 block, white as +1 and black as -1."""


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dim = dimensie
        # rand van nullen rondom het rooster: positie (r, k) staat op [r + 1][k + 1]
        self.rooster = [[0] * (dimensie + 2) for _ in range(dimensie + 2)]
        self.vast = [[False] * (dimensie + 2) for _ in range(dimensie + 2)]
        for kleur, collectie in ((1, wit), (-1, zwart)):
            for p in collectie:
                assert self._binnen(p), "ongeldige puzzel"
                r, k = p[0] + 1, p[1] + 1
                assert self.rooster[r][k] != -kleur, "ongeldige puzzel"
                self.rooster[r][k] = kleur
                self.vast[r][k] = True
        for r in range(1, dimensie):
            for k in range(1, dimensie):
                assert abs(self._som(r, k)) != 4, "ongeldige puzzel"

    def _binnen(self, p):
        r, k = p
        return r >= 0 and k >= 0 and r < self.dim and k < self.dim

    def _som(self, r, k):
        """som van het 2 x 2 blok met (r, k) linksboven"""
        return sum(self.rooster[r][k:k + 2]) + sum(self.rooster[r + 1][k:k + 2])

    def _maak(self, p, kleur):
        assert self._binnen(p), "ongeldige actie"
        r, k = p[0] + 1, p[1] + 1
        assert self.rooster[r][k] == 0, "ongeldige actie"
        for i in (r - 1, r):
            for j in (k - 1, k):
                # hebben de drie andere vakjes van het blok al deze kleur?
                assert self._som(i, j) != 3 * kleur, "ongeldige actie"
        self.rooster[r][k] = kleur
        return self

    def maak_wit(self, p):
        return self._maak(p, 1)

    def maak_zwart(self, p):
        return self._maak(p, -1)

    def maak_leeg(self, p):
        assert self._binnen(p), "ongeldige actie"
        r, k = p[0] + 1, p[1] + 1
        assert self.rooster[r][k] != 0, "ongeldige actie"
        assert not self.vast[r][k], "ongeldige actie"
        self.rooster[r][k] = 0
        return self

    def aaneengesloten_gebied(self, p):
        if not self._binnen(p):
            return set()
        kleur = self.rooster[p[0] + 1][p[1] + 1]
        if kleur == 0:
            return set()
        # eerst de hele rij vakjes links en rechts, dan de rijen erboven en eronder
        gebied = set()
        onderzoek = {p}
        while onderzoek:
            r, k = onderzoek.pop()
            while self.rooster[r + 1][k] == kleur:
                k -= 1
            while self.rooster[r + 1][k + 1] == kleur:
                gebied.add((r, k))
                for rij in (r - 1, r + 1):
                    if self.rooster[rij + 1][k + 1] == kleur and (rij, k) not in gebied:
                        onderzoek.add((rij, k))
                k += 1
        return gebied

    def isopgelost(self):
        for kleur in (1, -1):
            posities = []
            for r in range(self.dim):
                for k in range(self.dim):
                    if self.rooster[r + 1][k + 1] == 0:
                        return False
                    if self.rooster[r + 1][k + 1] == kleur:
                        posities.append((r, k))
            if len(posities) == 0:
                return False
            if len(self.aaneengesloten_gebied(posities[0])) != len(posities):
                return False
        return True

    def __str__(self):
        regels = []
        for r in range(1, self.dim + 1):
            regel = ''
            for k in range(1, self.dim + 1):
                teken = '-wb'[self.rooster[r][k]]
                if self.vast[r][k]:
                    teken = teken.upper()
                regel += teken
            regels.append(regel)
        return '\n'.join(regels)
