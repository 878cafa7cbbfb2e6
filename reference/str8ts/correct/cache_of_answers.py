"""Caches the answers per row and column (cleared at each filling) and returns the kept dicts and sets; isinstance(n, int) checks."""
VULLING = 'ongeldige vulling'


class Cel:

    codes = '#ABCDEFGHI.123456789'

    def __init__(self, symbool):
        if not isinstance(symbool, str):
            raise AssertionError('ongeldig symbool')
        if len(symbool) != 1 or self.codes.find(symbool) == -1:
            raise AssertionError('ongeldig symbool')
        self.code = self.codes.find(symbool)

    def isgekleurd(self):
        return self.code < 10

    def cijfer(self):
        rest = self.code % 10
        if rest == 0:
            return None
        return rest

    def vul_in(self, cijfer):
        if not self.isgekleurd():
            self.code = 10 + cijfer

    def __str__(self):
        return self.codes[self.code]


_straten = {}


def isstraat(n):
    if not isinstance(n, int) or n < 1:
        return False
    if n not in _straten:
        s = str(n)
        laagste = int(min(s))
        gewenst = set(range(laagste, laagste + len(s)))
        _straten[n] = laagste > 0 and set(int(c) for c in s) == gewenst
    return _straten[n]


class Str8ts:

    def __init__(self, locatie):
        self.cellen = []
        self.cache = {}
        with open(locatie) as f:
            for lijn in f:
                if lijn.strip() != '':
                    self.cellen.append([Cel(c) for c in lijn.strip()])

    def __str__(self):
        if 'str' not in self.cache:
            self.cache['str'] = '\n'.join(''.join(str(c) for c in rij) for rij in self.cellen)
        return self.cache['str']

    def lijn(self, richting, i):
        if not isinstance(i, int) or i < 0 or i > 8:
            raise IndexError('geen rij of kolom met nummer ' + str(i))
        if richting == 'h':
            return self.cellen[i]
        return [self.cellen[r][i] for r in range(9)]

    def getallen(self, richting, i):
        sleutel = (richting, 'getallen', i)
        if sleutel not in self.cache:
            antwoord = {}
            vorige_wit = False
            for j, cel in enumerate(self.lijn(richting, i)):
                if not cel.isgekleurd():
                    if not vorige_wit:
                        start = j
                        antwoord[start] = ''
                    antwoord[start] += str(cel)
                vorige_wit = not cel.isgekleurd()
            self.cache[sleutel] = antwoord
        return self.cache[sleutel]

    def cijfers(self, richting, i):
        sleutel = (richting, 'cijfers', i)
        if sleutel not in self.cache:
            antwoord = set()
            for cel in self.lijn(richting, i):
                if cel.cijfer() is not None:
                    antwoord.add(cel.cijfer())
            self.cache[sleutel] = antwoord
        return self.cache[sleutel]

    def horizontaal_getallen(self, r):
        return self.getallen('h', r)

    def verticaal_getallen(self, k):
        return self.getallen('v', k)

    def horizontaal_cijfers(self, r):
        return self.cijfers('h', r)

    def verticaal_cijfers(self, k):
        return self.cijfers('v', k)

    def horizontaal_invullen(self, r, k, n):
        if not isinstance(r, int) or not isinstance(k, int) or not isstraat(n):
            raise AssertionError(VULLING)
        if r < 0 or r > 8 or k not in self.getallen('h', r):
            raise AssertionError(VULLING)
        patroon = self.getallen('h', r)[k]
        if len(patroon) != len(str(n)):
            raise AssertionError(VULLING)
        for i, c in enumerate(str(n)):
            if patroon[i] != '.' and patroon[i] != c:
                raise AssertionError(VULLING)
            if patroon[i] == '.' and int(c) in self.cijfers('h', r):
                raise AssertionError(VULLING)
            if patroon[i] == '.' and int(c) in self.cijfers('v', k + i):
                raise AssertionError(VULLING)
        for i, c in enumerate(str(n)):
            self.cellen[r][k + i].vul_in(int(c))
        self.cache.clear()

    def verticaal_invullen(self, r, k, n):
        if not isinstance(r, int) or not isinstance(k, int) or not isstraat(n):
            raise AssertionError(VULLING)
        if k < 0 or k > 8 or r not in self.getallen('v', k):
            raise AssertionError(VULLING)
        patroon = self.getallen('v', k)[r]
        if len(patroon) != len(str(n)):
            raise AssertionError(VULLING)
        for i, c in enumerate(str(n)):
            if patroon[i] != '.' and patroon[i] != c:
                raise AssertionError(VULLING)
            if patroon[i] == '.' and int(c) in self.cijfers('v', k):
                raise AssertionError(VULLING)
            if patroon[i] == '.' and int(c) in self.cijfers('h', r + i):
                raise AssertionError(VULLING)
        for i, c in enumerate(str(n)):
            self.cellen[r + i][k].vul_in(int(c))
        self.cache.clear()
