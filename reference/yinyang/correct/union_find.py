"""Numbers the cells and joins them with union-find, rebuilt at every question; given cells kept in a tuple of booleans."""

LEEG, WIT, ZWART = 0, 1, 2


class UnionFind:

    def __init__(self, n):
        self.ouder = list(range(n))

    def vind(self, x):
        while self.ouder[x] != x:
            self.ouder[x] = self.ouder[self.ouder[x]]
            x = self.ouder[x]
        return x

    def verenig(self, x, y):
        self.ouder[self.vind(x)] = self.vind(y)


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.kleur = [LEEG] * (self.n * self.n)
        for positie in wit:
            if not self._op_bord(positie):
                raise AssertionError("ongeldige puzzel")
            self.kleur[self._nummer(positie)] = WIT
        for positie in zwart:
            if not self._op_bord(positie):
                raise AssertionError("ongeldige puzzel")
            if self.kleur[self._nummer(positie)] == WIT:
                raise AssertionError("ongeldige puzzel")
            self.kleur[self._nummer(positie)] = ZWART
        self.opgave = tuple(kleur != LEEG for kleur in self.kleur)
        for hoek in range(len(self.kleur)):
            if self._vierkant_vanaf(hoek):
                raise AssertionError("ongeldige puzzel")

    def _op_bord(self, positie):
        return positie[0] in range(self.n) and positie[1] in range(self.n)

    def _nummer(self, positie):
        return positie[0] * self.n + positie[1]

    def _vierkant_vanaf(self, hoek):
        """ hoek is het nummer van het vakje linksboven """
        r, k = divmod(hoek, self.n)
        if r < 0 or r + 1 >= self.n or k + 1 >= self.n:
            return False
        blok = [self.kleur[hoek], self.kleur[hoek + 1],
                self.kleur[hoek + self.n], self.kleur[hoek + self.n + 1]]
        return blok == [WIT] * 4 or blok == [ZWART] * 4

    def _kleur_vakje(self, positie, kleur):
        if not self._op_bord(positie):
            raise AssertionError("ongeldige actie")
        i = self._nummer(positie)
        if self.kleur[i] != LEEG:
            raise AssertionError("ongeldige actie")
        self.kleur[i] = kleur
        for hoek in (i, i - 1, i - self.n, i - self.n - 1):
            if self._vierkant_vanaf(hoek):
                self.kleur[i] = LEEG
                raise AssertionError("ongeldige actie")
        return self

    def maak_wit(self, positie):
        return self._kleur_vakje(positie, WIT)

    def maak_zwart(self, positie):
        return self._kleur_vakje(positie, ZWART)

    def maak_leeg(self, positie):
        if not self._op_bord(positie):
            raise AssertionError("ongeldige actie")
        i = self._nummer(positie)
        if self.kleur[i] == LEEG or self.opgave[i]:
            raise AssertionError("ongeldige actie")
        self.kleur[i] = LEEG
        return self

    def _gebieden(self):
        uf = UnionFind(self.n * self.n)
        for i in range(self.n * self.n):
            if self.kleur[i] == LEEG:
                continue
            if (i + 1) % self.n != 0 and self.kleur[i] == self.kleur[i + 1]:
                uf.verenig(i, i + 1)
            if i + self.n < self.n * self.n and self.kleur[i] == self.kleur[i + self.n]:
                uf.verenig(i, i + self.n)
        return uf

    def aaneengesloten_gebied(self, positie):
        if not self._op_bord(positie) or self.kleur[self._nummer(positie)] == LEEG:
            return set()
        uf = self._gebieden()
        wortel = uf.vind(self._nummer(positie))
        return {(i // self.n, i % self.n) for i in range(self.n * self.n) if uf.vind(i) == wortel}

    def isopgelost(self):
        if LEEG in self.kleur:
            return False
        uf = self._gebieden()
        wortels = {uf.vind(i) for i in range(self.n * self.n)}
        # hoogstens één wit gebied en hoogstens één zwart gebied
        return len(wortels) == len(set(self.kleur))

    def __str__(self):
        tekens = ''
        for i, kleur in enumerate(self.kleur):
            if i > 0 and i % self.n == 0:
                tekens += '\n'
            teken = '-wb'[kleur]
            tekens += teken.upper() if self.opgave[i] else teken
        return tekens
