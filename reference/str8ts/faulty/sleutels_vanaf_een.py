"""De sleutels van de dictionaries met getallen beginnen te tellen vanaf 1."""
# verliest: horizontaal_getallen, verticaal_getallen

import re

zwart = 'ABCDEFGHI'


class Cel:
    def __init__(self, kar):
        assert isinstance(kar, str) and re.fullmatch('[.#1-9A-I]', kar), 'ongeldig symbool'
        self.kar = kar

    def __str__(self):
        return self.kar

    def isgekleurd(self):
        return self.kar in '#' + zwart

    def cijfer(self):
        if self.kar in zwart:
            return zwart.find(self.kar) + 1
        elif self.kar != '.' and self.kar != '#':
            return int(self.kar)


def isstraat(n):
    s = ''.join(sorted(str(n)))
    return s in '123456789'


class Str8ts:
    # het rooster wordt bijgehouden als een lijst met 9 strings

    def __init__(self, locatie):
        with open(locatie) as bestand:
            self.rijen = bestand.read().split()

    def __str__(self):
        return '\n'.join(self.rijen)

    def kolom(self, k):
        return ''.join(rij[k] for rij in self.rijen)

    def horizontaal_getallen(self, r):
        return zoek_getallen(self.rijen[r])

    def verticaal_getallen(self, k):
        return zoek_getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return zoek_cijfers(self.rijen[r])

    def verticaal_cijfers(self, k):
        return zoek_cijfers(self.kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert r in range(9) and k in range(9), 'ongeldige vulling'
        patroon = self.horizontaal_getallen(r).get(k + 1)
        assert patroon is not None, 'ongeldige vulling'
        assert isstraat(n), 'ongeldige vulling'
        s = str(n)
        assert len(s) == len(patroon), 'ongeldige vulling'
        for i in range(len(s)):
            if patroon[i] == '.':
                bezet = self.horizontaal_cijfers(r) | self.verticaal_cijfers(k + i)
                assert int(s[i]) not in bezet, 'ongeldige vulling'
            else:
                assert s[i] == patroon[i], 'ongeldige vulling'
        self.rijen[r] = self.rijen[r][:k] + s + self.rijen[r][k + len(s):]

    def verticaal_invullen(self, r, k, n):
        # draai het rooster, vul horizontaal in en draai het terug
        self.draai()
        try:
            self.horizontaal_invullen(k, r, n)
        finally:
            self.draai()

    def draai(self):
        self.rijen = [self.kolom(k) for k in range(9)]


def zoek_getallen(s):
    return {m.start() + 1: m.group() for m in re.finditer('[.1-9]+', s)}


def zoek_cijfers(s):
    return {Cel(kar).cijfer() for kar in s} - {None}
