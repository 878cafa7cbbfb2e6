"""Weigert elk getal waarvan al een cijfer ingevuld is."""
# verliest: horizontaal_invullen, verticaal_invullen

import re

zwart = 'ABCDEFGHI'


class Cel:
    def __init__(self, c):
        assert isinstance(c, str) and re.fullmatch('[.#1-9A-I]', c), 'ongeldig symbool'
        self.c = c

    def __str__(self):
        return self.c

    def isgekleurd(self):
        return self.c in '#' + zwart

    def cijfer(self):
        if self.c in zwart:
            return zwart.find(self.c) + 1
        elif self.c != '.' and self.c != '#':
            return int(self.c)


def isstraat(n):
    s = ''.join(sorted(str(n)))
    return s in '123456789'


class Str8ts:
    # het rooster wordt bijgehouden als een lijst met 9 strings

    def __init__(self, locatie):
        with open(locatie) as f:
            self.regels = f.read().split()

    def __str__(self):
        return '\n'.join(self.regels)

    def kolom(self, k):
        return ''.join(regel[k] for regel in self.regels)

    def horizontaal_getallen(self, r):
        return zoek_getallen(self.regels[r])

    def verticaal_getallen(self, k):
        return zoek_getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return zoek_cijfers(self.regels[r])

    def verticaal_cijfers(self, k):
        return zoek_cijfers(self.kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert r in range(9) and k in range(9), 'ongeldige vulling'
        patroon = self.horizontaal_getallen(r).get(k)
        assert patroon is not None, 'ongeldige vulling'
        assert isstraat(n), 'ongeldige vulling'
        s = str(n)
        assert len(s) == len(patroon), 'ongeldige vulling'
        assert patroon == '.' * len(s), 'ongeldige vulling'
        for i in range(len(s)):
            bezet = self.horizontaal_cijfers(r) | self.verticaal_cijfers(k + i)
            assert int(s[i]) not in bezet, 'ongeldige vulling'
        self.regels[r] = self.regels[r][:k] + s + self.regels[r][k + len(s):]

    def verticaal_invullen(self, r, k, n):
        # draai het rooster, vul horizontaal in en draai het terug
        self.draai()
        try:
            self.horizontaal_invullen(k, r, n)
        finally:
            self.draai()

    def draai(self):
        self.regels = [self.kolom(k) for k in range(9)]


def zoek_getallen(s):
    return {m.start(): m.group() for m in re.finditer('[.1-9]+', s)}


def zoek_cijfers(s):
    return {Cel(c).cijfer() for c in s} - {None}
