"""White cells are joined into numbers by union-find once at the start, and patterns are read off these groups; tuple board rebuilt."""


class Cel:
    SYMBOLEN = tuple('.123456789#ABCDEFGHI')

    def __init__(self, symbool):
        if symbool not in Cel.SYMBOLEN:
            raise AssertionError('ongeldig symbool')
        self._nr = Cel.SYMBOLEN.index(symbool)

    def __str__(self):
        return Cel.SYMBOLEN[self._nr]

    def isgekleurd(self):
        return self._nr >= 10

    def cijfer(self):
        return self._nr % 10 or None


class UnionFind:
    def __init__(self, elementen):
        self.ouder = {e: e for e in elementen}

    def find(self, e):
        while self.ouder[e] != e:
            e = self.ouder[e]
        return e

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        # de kleinste positie (de eerste cel) wordt de vertegenwoordiger
        if a < b:
            self.ouder[b] = a
        elif b < a:
            self.ouder[a] = b


def isstraat(n):
    # bitmasker van de cijfers
    masker = 0
    if n <= 0:
        return False
    while n > 0:
        n, c = divmod(n, 10)
        if c == 0 or masker & (1 << c):
            return False
        masker |= 1 << c
    while masker % 2 == 0:
        masker //= 2
    return masker & (masker + 1) == 0


class Str8ts:
    def __init__(self, pad):
        with open(pad) as f:
            tekst = f.read().split()
        self.rooster = tuple(tuple(Cel(s) for s in regel) for regel in tekst)
        wit = [(r, k) for r in range(9) for k in range(9) if not self.rooster[r][k].isgekleurd()]
        self.hor = UnionFind(wit)
        self.ver = UnionFind(wit)
        for r, k in wit:
            if (r, k + 1) in self.hor.ouder:
                self.hor.union((r, k), (r, k + 1))
            if (r + 1, k) in self.ver.ouder:
                self.ver.union((r, k), (r + 1, k))

    def __str__(self):
        return '\n'.join(''.join(map(str, rij)) for rij in self.rooster)

    def groep(self, uf, wortel):
        return sorted(p for p in uf.ouder if uf.find(p) == wortel)

    def patroon(self, cellen):
        return ''.join(str(self.rooster[r][k]) for r, k in cellen)

    def horizontaal_getallen(self, r):
        wortels = {self.hor.find(p) for p in self.hor.ouder if p[0] == r}
        return {k: self.patroon(self.groep(self.hor, (r, k))) for _, k in wortels}

    def verticaal_getallen(self, k):
        wortels = {self.ver.find(p) for p in self.ver.ouder if p[1] == k}
        return {r: self.patroon(self.groep(self.ver, (r, k))) for r, _ in wortels}

    def horizontaal_cijfers(self, r):
        return set(cel.cijfer() for cel in self.rooster[r] if cel.cijfer())

    def verticaal_cijfers(self, k):
        return set(rij[k].cijfer() for rij in self.rooster if rij[k].cijfer())

    def _invullen(self, uf, r, k, n):
        if not isstraat(n) or (r, k) not in uf.ouder or uf.find((r, k)) != (r, k):
            raise AssertionError('ongeldige vulling')
        cellen = self.groep(uf, (r, k))
        cijfers = [int(c) for c in str(n)]
        if len(cellen) != len(cijfers):
            raise AssertionError('ongeldige vulling')
        nieuw = {}
        for (i, j), c in zip(cellen, cijfers):
            huidig = self.rooster[i][j].cijfer()
            if huidig == c:
                continue
            if huidig is not None:
                raise AssertionError('ongeldige vulling')
            if c in self.horizontaal_cijfers(i):
                raise AssertionError('ongeldige vulling')
            if c in self.verticaal_cijfers(j):
                raise AssertionError('ongeldige vulling')
            nieuw[(i, j)] = Cel(str(c))
        self.rooster = tuple(
            tuple(nieuw.get((i, j), self.rooster[i][j]) for j in range(9))
            for i in range(9)
        )

    def horizontaal_invullen(self, r, k, n):
        self._invullen(self.hor, r, k, n)

    def verticaal_invullen(self, r, k, n):
        self._invullen(self.ver, r, k, n)
