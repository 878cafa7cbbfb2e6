"""Weigert een getal dat al volledig ingevuld is opnieuw in te vullen, ook met dezelfde cijfers."""
# verliest: horizontaal_invullen, verticaal_invullen

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
    # zoek het kleinste cijfer, en kijk of de volgende er ook allemaal in zitten
    kleinste = min(cijfers)
    for i in range(len(cijfers)):
        if kleinste + i not in cijfers:
            return False
    return True


class Str8ts(object):

    def __init__(self, locatie):
        # dictionary van positie (rij, kolom) naar cel
        self.vakjes = {}
        r = 0
        for lijn in open(locatie, 'r').read().split('\n'):
            if lijn.strip() != '':
                for k in range(9):
                    self.vakjes[(r, k)] = Cel(lijn[k])
                r += 1

    def __str__(self):
        s = ''
        for r in range(9):
            for k in range(9):
                s += str(self.vakjes[(r, k)])
            if r < 8:
                s += '\n'
        return s

    def horizontaal_getallen(self, r):
        d = {}
        k = 0
        while k < 9:
            if self.vakjes[(r, k)].isgekleurd():
                k += 1
            else:
                begin = k
                patroon = ''
                while k < 9 and not self.vakjes[(r, k)].isgekleurd():
                    patroon += str(self.vakjes[(r, k)])
                    k += 1
                d[begin] = patroon
        return d

    def verticaal_getallen(self, k):
        d = {}
        r = 0
        while r < 9:
            if self.vakjes[(r, k)].isgekleurd():
                r += 1
            else:
                begin = r
                patroon = ''
                while r < 9 and not self.vakjes[(r, k)].isgekleurd():
                    patroon += str(self.vakjes[(r, k)])
                    r += 1
                d[begin] = patroon
        return d

    def horizontaal_cijfers(self, r):
        verz = set()
        for k in range(9):
            c = self.vakjes[(r, k)].cijfer()
            if c is not None:
                verz.add(c)
        return verz

    def verticaal_cijfers(self, k):
        verz = set()
        for r in range(9):
            c = self.vakjes[(r, k)].cijfer()
            if c is not None:
                verz.add(c)
        return verz

    def horizontaal_invullen(self, r, k, n):
        # alle voorwaarden na elkaar controleren
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if (r, k) not in self.vakjes:
            raise AssertionError('ongeldige vulling')
        getallen = self.horizontaal_getallen(r)
        if k not in getallen:
            raise AssertionError('ongeldige vulling')
        patroon = getallen[k]
        # al volledig ingevuld
        if '.' not in patroon:
            raise AssertionError('ongeldige vulling')
        cijfers = str(n)
        if len(cijfers) != len(patroon):
            raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            c = int(cijfers[i])
            if patroon[i] != '.':
                if patroon[i] != cijfers[i]:
                    raise AssertionError('ongeldige vulling')
            elif c in self.horizontaal_cijfers(r) or c in self.verticaal_cijfers(k + i):
                raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            self.vakjes[(r, k + i)] = Cel(cijfers[i])

    def verticaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if (r, k) not in self.vakjes:
            raise AssertionError('ongeldige vulling')
        getallen = self.verticaal_getallen(k)
        if r not in getallen:
            raise AssertionError('ongeldige vulling')
        patroon = getallen[r]
        if '.' not in patroon:
            raise AssertionError('ongeldige vulling')
        cijfers = str(n)
        if len(cijfers) != len(patroon):
            raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            c = int(cijfers[i])
            if patroon[i] != '.':
                if patroon[i] != cijfers[i]:
                    raise AssertionError('ongeldige vulling')
            elif c in self.horizontaal_cijfers(r + i) or c in self.verticaal_cijfers(k):
                raise AssertionError('ongeldige vulling')
        for i in range(len(cijfers)):
            self.vakjes[(r + i, k)] = Cel(cijfers[i])
