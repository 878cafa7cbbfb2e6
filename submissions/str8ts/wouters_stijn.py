class Cel:

    ''' een cel van het rooster '''

    tekens = '.#123456789ABCDEFGHI'

    def __init__(self, code):
        assert len(code) == 1 and code in Cel.tekens, 'ongeldig symbool'
        self.code = code

    def isgekleurd(self):
        return self.code == '#' or 'A' <= self.code <= 'I'

    def cijfer(self):
        i = Cel.tekens.index(self.code)
        if i < 2:
            return None
        return (i - 2) % 9 + 1

    def __str__(self):
        return self.code


def is_straat(n):
    cijfers = ''.join(sorted(str(n)))
    return cijfers in '123456789'


class Straat:

    ''' de volledige puzzel '''

    def __init__(self, bestand):
        with open(bestand) as f:
            self.lijnen = [[Cel(x) for x in y] for y in f.read().split()]

    def __str__(self):
        return '\n'.join(''.join(str(x) for x in y) for y in self.lijnen)

    def _kolom(self, k):
        return [y[k] for y in self.lijnen]

    def _getallen(self, cellen):
        res = {}
        for i, c in enumerate(cellen):
            if c.isgekleurd():
                continue
            j = i
            # teruggaan tot het begin van het getal
            while j > 0 and not cellen[j - 1].isgekleurd():
                j -= 1
            res[j] = res.get(j, '') + str(c)
        return res

    def horizontaal_getallen(self, r):
        return self._getallen(self.lijnen[r])

    def verticaal_getallen(self, k):
        return self._getallen(self._kolom(k))

    def horizontaal_cijfers(self, r):
        return set(x.cijfer() for x in self.lijnen[r] if x.cijfer())

    def verticaal_cijfers(self, k):
        return set(x.cijfer() for x in self._kolom(k) if x.cijfer())

    def _vul(self, plaatsen, patroon, n):
        assert is_straat(n) and len(str(n)) == len(patroon), 'ongeldige vulling'
        for (r, k), oud, nieuw in zip(plaatsen, patroon, str(n)):
            if oud == '.':
                assert int(nieuw) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(nieuw) not in self.verticaal_cijfers(k), 'ongeldige vulling'
            else:
                assert oud == nieuw, 'ongeldige vulling'
        for (r, k), nieuw in zip(plaatsen, str(n)):
            self.lijnen[r][k] = Cel(nieuw)

    def horizontaal_invullen(self, r, k, n):
        assert r in range(9), 'ongeldige vulling'
        patroon = self.horizontaal_getallen(r).get(k, '')
        self._vul([(r, k + i) for i in range(len(patroon))], patroon, n)

    def verticaal_invullen(self, r, k, n):
        assert k in range(9), 'ongeldige vulling'
        patroon = self.verticaal_getallen(k).get(r, '')
        self._vul([(r + i, k) for i in range(len(patroon))], patroon, n)
