"""Kijkt alleen of alle cijfers van het kleinste tot het grootste voorkomen, zodat 1223 ook een straat is."""
# verliest: isstraat, horizontaal_invullen, verticaal_invullen

LETTERS = 'ABCDEFGHI'
CIJFERS = '123456789'


class Cel(object):
    # een cel houdt bij: zwart (True/False) en getal (1-9 of None)

    def __init__(self, teken):
        self.getal = None
        if teken == '.' or teken == '#':
            self.zwart = teken == '#'
        elif len(teken) == 1 and teken in LETTERS:
            self.zwart = True
            self.getal = LETTERS.index(teken) + 1
        elif len(teken) == 1 and teken in CIJFERS:
            self.zwart = False
            self.getal = int(teken)
        else:
            raise AssertionError('ongeldig symbool')

    def isgekleurd(self):
        return self.zwart

    def cijfer(self):
        return self.getal

    def __str__(self):
        if self.getal is None:
            if self.zwart:
                return '#'
            return '.'
        if self.zwart:
            return LETTERS[self.getal - 1]
        return str(self.getal)


def isstraat(n):
    cijfers = [int(c) for c in str(n)]
    if 0 in cijfers:
        return False
    # van het kleinste tot het grootste moeten alle cijfers erin zitten
    for c in range(min(cijfers), max(cijfers) + 1):
        if c not in cijfers:
            return False
    return True


class Str8ts(object):

    def __init__(self, locatie):
        # dictionary van positie (rij, kolom) naar cel
        self.cellen = {}
        r = 0
        for lijn in open(locatie, 'r').read().split('\n'):
            if lijn.strip() != '':
                for k in range(9):
                    self.cellen[(r, k)] = Cel(lijn[k])
                r += 1

    def __str__(self):
        s = ''
        for r in range(9):
            for k in range(9):
                s += str(self.cellen[(r, k)])
            if r < 8:
                s += '\n'
        return s

    def horizontaal_getallen(self, r):
        d = {}
        k = 0
        while k < 9:
            if self.cellen[(r, k)].isgekleurd():
                k += 1
            else:
                begin = k
                p = ''
                while k < 9 and not self.cellen[(r, k)].isgekleurd():
                    p += str(self.cellen[(r, k)])
                    k += 1
                d[begin] = p
        return d

    def verticaal_getallen(self, k):
        d = {}
        r = 0
        while r < 9:
            if self.cellen[(r, k)].isgekleurd():
                r += 1
            else:
                begin = r
                p = ''
                while r < 9 and not self.cellen[(r, k)].isgekleurd():
                    p += str(self.cellen[(r, k)])
                    r += 1
                d[begin] = p
        return d

    def horizontaal_cijfers(self, r):
        verzameling = set()
        for k in range(9):
            c = self.cellen[(r, k)].cijfer()
            if c is not None:
                verzameling.add(c)
        return verzameling

    def verticaal_cijfers(self, k):
        verzameling = set()
        for r in range(9):
            c = self.cellen[(r, k)].cijfer()
            if c is not None:
                verzameling.add(c)
        return verzameling

    def horizontaal_invullen(self, r, k, n):
        # alle voorwaarden na elkaar controleren
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if (r, k) not in self.cellen:
            raise AssertionError('ongeldige vulling')
        alle_getallen = self.horizontaal_getallen(r)
        if k not in alle_getallen:
            raise AssertionError('ongeldige vulling')
        p = alle_getallen[k]
        cijfers = str(n)
        if len(cijfers) != len(p):
            raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            c = int(cijfers[i])
            if p[i] != '.':
                if p[i] != cijfers[i]:
                    raise AssertionError('ongeldige vulling')
            elif c in self.horizontaal_cijfers(r) or c in self.verticaal_cijfers(k + i):
                raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            self.cellen[(r, k + i)] = Cel(cijfers[i])

    def verticaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if (r, k) not in self.cellen:
            raise AssertionError('ongeldige vulling')
        alle_getallen = self.verticaal_getallen(k)
        if r not in alle_getallen:
            raise AssertionError('ongeldige vulling')
        p = alle_getallen[r]
        cijfers = str(n)
        if len(cijfers) != len(p):
            raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            c = int(cijfers[i])
            if p[i] != '.':
                if p[i] != cijfers[i]:
                    raise AssertionError('ongeldige vulling')
            elif c in self.horizontaal_cijfers(r + i) or c in self.verticaal_cijfers(k):
                raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            self.cellen[(r + i, k)] = Cel(cijfers[i])
