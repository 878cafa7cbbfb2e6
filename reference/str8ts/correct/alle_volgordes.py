"""Zet de cijfers van een getal in alle volgordes om te weten of het een straat is: traag, en juist."""

from itertools import permutations


class Cel:
    def __init__(self, symbool):
        if not isinstance(symbool, str) or len(symbool) != 1 or symbool not in '.#123456789ABCDEFGHI':
            raise AssertionError('ongeldig symbool')
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in '#ABCDEFGHI'

    def cijfer(self):
        if self.symbool in '#.':
            return None
        return (' 123456789'.find(self.symbool) if self.symbool.isdigit() else ' ABCDEFGHI'.index(self.symbool))


def isstraat(n):
    """Kan je de cijfers zo zetten dat ze een opeenvolgende reeks vormen?"""
    cijfers = [int(c) for c in str(n)]
    if 0 in cijfers:
        return False
    for reeks in permutations(cijfers):
        if all(reeks[i] + 1 == reeks[i + 1] for i in range(len(reeks) - 1)):
            return True
    return False


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as bestand:
            self.rooster = [[Cel(s) for s in regel.strip()] for regel in bestand if regel.strip()]

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.rooster)

    def rij(self, r):
        return self.rooster[r]

    def kolom(self, k):
        return [rij[k] for rij in self.rooster]

    def getallen(self, cellen):
        uit, begin = {}, None
        for i, cel in enumerate(cellen):
            if cel.isgekleurd():
                begin = None
            else:
                if begin is None:
                    begin = i
                    uit[begin] = ''
                uit[begin] += str(cel)
        return uit

    def cijfers(self, cellen):
        return {cel.cijfer() for cel in cellen} - {None}

    def horizontaal_getallen(self, r):
        return self.getallen(self.rij(r))

    def verticaal_getallen(self, k):
        return self.getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return self.cijfers(self.rij(r))

    def verticaal_cijfers(self, k):
        return self.cijfers(self.kolom(k))

    def horizontaal_invullen(self, r, k, n):
        self.vul(self.horizontaal_getallen(r).get(k), [(r, k + i) for i in range(9 - k)], n)

    def verticaal_invullen(self, r, k, n):
        self.vul(self.verticaal_getallen(k).get(r), [(r + i, k) for i in range(9 - r)], n)

    def vul(self, patroon, plaatsen, n):
        tekst = str(n)
        assert isstraat(n) and patroon is not None and len(patroon) == len(tekst), 'ongeldige vulling'
        nieuw = []
        for p, c, (r, k) in zip(patroon, tekst, plaatsen):
            if p == '.':
                assert int(c) not in self.horizontaal_cijfers(r) | self.verticaal_cijfers(k), 'ongeldige vulling'
                nieuw.append((r, k, c))
            else:
                assert p == c, 'ongeldige vulling'
        for r, k, c in nieuw:
            self.rooster[r][k] = Cel(c)
