"""The board is one string of 81 characters, sliced; read().split("\n"); regular expressions; compact; ordinals for letters."""
import re

WIT = '.123456789'
ZWART = '#ABCDEFGHI'


class Cel:

    def __init__(self, symbool):
        if not isinstance(symbool, str) or not re.fullmatch('[1-9A-I.#]', symbool):
            raise AssertionError('ongeldig symbool')
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in ZWART

    def cijfer(self):
        waarde = (ZWART if self.isgekleurd() else WIT).index(self.symbool)
        return waarde if waarde > 0 else None


def isstraat(n):
    return n > 0 and ''.join(sorted(str(n))) in '123456789'


class Str8ts:

    def __init__(self, locatie):
        with open(locatie, 'r') as invoer:
            regels = invoer.read().split('\n')
        self.bord = ''.join(regels)

    def __str__(self):
        return '\n'.join(self.rij(r) for r in range(9))

    def rij(self, r):
        return self.bord[9 * r:9 * r + 9]

    def kolom(self, k):
        return self.bord[k::9]

    @staticmethod
    def getallen(reeks):
        return {m.start(): m.group() for m in re.finditer('[.1-9]+', reeks)}

    @staticmethod
    def cijfers(reeks):
        return {Cel(s).cijfer() for s in reeks} - {None}

    def horizontaal_getallen(self, r):
        return self.getallen(self.rij(r))

    def verticaal_getallen(self, k):
        return self.getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return self.cijfers(self.rij(r))

    def verticaal_cijfers(self, k):
        return self.cijfers(self.kolom(k))

    def vul(self, posities, patroon, n):
        cijfers = str(n)
        if len(cijfers) != len(patroon):
            raise AssertionError('ongeldige vulling')
        nieuw = self.bord
        for (r, k), oud, c in zip(posities, patroon, cijfers):
            if oud == '.':
                if int(c) in self.horizontaal_cijfers(r) | self.verticaal_cijfers(k):
                    raise AssertionError('ongeldige vulling')
            elif oud != c:
                raise AssertionError('ongeldige vulling')
            p = 9 * r + k
            nieuw = nieuw[:p] + c + nieuw[p + 1:]
        self.bord = nieuw

    def horizontaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if not (0 <= r < 9 and 0 <= k < 9):
            raise AssertionError('ongeldige vulling')
        patroon = self.horizontaal_getallen(r).get(k, '')
        self.vul([(r, k + i) for i in range(len(patroon))], patroon, n)

    def verticaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError('ongeldige vulling')
        if not (0 <= r < 9 and 0 <= k < 9):
            raise AssertionError('ongeldige vulling')
        patroon = self.verticaal_getallen(k).get(r, '')
        self.vul([(r + i, k) for i in range(len(patroon))], patroon, n)
