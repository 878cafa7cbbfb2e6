"""Generators, itertools.groupby and all()/any(); one private method with a direction; assert with message."""
from itertools import groupby
from string import ascii_uppercase


class Cel:
    _cijfers = {str(i): i for i in range(1, 10)}
    _letters = {ascii_uppercase[i - 1]: i for i in range(1, 10)}

    def __init__(self, symbool):
        assert isinstance(symbool, str), 'ongeldig symbool'
        assert symbool in {'.', '#', *self._cijfers, *self._letters}, 'ongeldig symbool'
        self._symbool = symbool

    def isgekleurd(self):
        return self._symbool == '#' or self._symbool in self._letters

    def cijfer(self):
        return self._cijfers.get(self._symbool, self._letters.get(self._symbool))

    def __str__(self):
        return self._symbool

    def __repr__(self):
        return f'Cel({self._symbool!r})'


def isstraat(n):
    s = sorted(map(int, str(n)))
    return s[0] > 0 and all(b - a == 1 for a, b in zip(s, s[1:]))


def stukken(cellen):
    """genereert (startindex, lijst van cellen) voor elk getal"""
    for zwart, groep in groupby(enumerate(cellen), key=lambda p: p[1].isgekleurd()):
        groep = list(groep)
        if not zwart:
            yield groep[0][0], [cel for _, cel in groep]


def cijfers_van(cellen):
    for cel in cellen:
        c = cel.cijfer()
        if c is not None:
            yield c


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as regels:
            self._rijen = [[Cel(s) for s in regel.rstrip('\n')] for regel in regels]

    def __str__(self):
        return '\n'.join(''.join(str(c) for c in rij) for rij in self._rijen)

    @property
    def _kolommen(self):
        return [list(kolom) for kolom in zip(*self._rijen)]

    def horizontaal_getallen(self, r):
        return {i: ''.join(map(str, stuk)) for i, stuk in stukken(self._rijen[r])}

    def verticaal_getallen(self, k):
        return {i: ''.join(map(str, stuk)) for i, stuk in stukken(self._kolommen[k])}

    def horizontaal_cijfers(self, r):
        return set(cijfers_van(self._rijen[r]))

    def verticaal_cijfers(self, k):
        return set(cijfers_van(self._kolommen[k]))

    def _vul(self, r, k, n, horizontaal):
        fout = 'ongeldige vulling'
        assert 0 <= r <= 8, fout
        assert 0 <= k <= 8, fout
        assert isstraat(n), fout
        getallen = self.horizontaal_getallen(r) if horizontaal else self.verticaal_getallen(k)
        patroon = getallen.get(k if horizontaal else r)
        assert patroon is not None, fout
        assert len(patroon) == len(str(n)), fout
        assert all(p in ('.', c) for p, c in zip(patroon, str(n))), fout
        plaatsen = [(r, k + i) if horizontaal else (r + i, k) for i in range(len(patroon))]
        nieuw = [(plaats, int(c)) for plaats, p, c in zip(plaatsen, patroon, str(n)) if p == '.']
        assert not any(c in self.horizontaal_cijfers(i) for (i, _), c in nieuw), fout
        assert not any(c in self.verticaal_cijfers(j) for (_, j), c in nieuw), fout
        for (i, j), c in nieuw:
            self._rijen[i][j] = Cel(str(c))

    def horizontaal_invullen(self, r, k, n):
        self._vul(r, k, n, True)

    def verticaal_invullen(self, r, k, n):
        self._vul(r, k, n, False)
