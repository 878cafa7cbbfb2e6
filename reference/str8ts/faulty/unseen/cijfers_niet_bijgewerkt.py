"""Berekent de cijfers van elke rij en kolom één keer bij het inlezen en werkt ze daarna niet meer bij."""
# verliest: horizontaal_cijfers, verticaal_cijfers, horizontaal_invullen, verticaal_invullen

from itertools import groupby


class Cel:

    cijfers = {s: i for i, s in enumerate('123456789', 1)}
    letters = {s: i for i, s in enumerate('ABCDEFGHI', 1)}
    symbolen = {'.': None, '#': None, **cijfers, **letters}

    def __init__(self, symbool: str):
        assert symbool in self.symbolen, 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self) -> str:
        return self.symbool

    def isgekleurd(self) -> bool:
        return self.symbool == '#' or self.symbool in self.letters

    def cijfer(self):
        return self.symbolen[self.symbool]

    def vul(self, cijfer: int):
        self.symbool = str(cijfer)


def isstraat(n: int) -> bool:
    reeks = sorted(int(c) for c in str(n))
    return reeks[0] > 0 and reeks == list(range(reeks[0], reeks[0] + len(reeks)))


class Str8ts:

    def __init__(self, locatie: str):
        with open(locatie) as invoer:
            self.rijen = [[Cel(s) for s in regel.strip()] for regel in invoer if regel.strip()]
        # de kolommen bevatten dezelfde cellen als de rijen
        self.kolommen = [list(kolom) for kolom in zip(*self.rijen)]
        # op voorhand berekenen, dat gaat sneller
        self.rijcijfers = [self._cijfers(rij) for rij in self.rijen]
        self.kolomcijfers = [self._cijfers(kolom) for kolom in self.kolommen]

    def __str__(self) -> str:
        return '\n'.join(''.join(map(str, rij)) for rij in self.rijen)

    @staticmethod
    def _woorden(lijn):
        """Splitst een rij of kolom in woorden: (begin, lijst van cellen)."""
        for gekleurd, groep in groupby(enumerate(lijn), lambda paar: paar[1].isgekleurd()):
            if not gekleurd:
                groep = list(groep)
                yield groep[0][0], [cel for _, cel in groep]

    @staticmethod
    def _cijfers(lijn):
        return {cel.cijfer() for cel in lijn} - {None}

    def _getallen(self, lijn):
        return {begin: ''.join(map(str, cellen)) for begin, cellen in self._woorden(lijn)}

    def _vul(self, lijn, eigen, dwars, begin, n):
        woorden = dict(self._woorden(lijn))
        cijfers = [int(c) for c in str(n)]
        assert isstraat(n), 'ongeldige vulling'
        assert begin in woorden, 'ongeldige vulling'
        assert len(woorden[begin]) == len(cijfers), 'ongeldige vulling'
        for i, (cel, cijfer) in enumerate(zip(woorden[begin], cijfers)):
            if cel.cijfer() is None:
                assert cijfer not in eigen, 'ongeldige vulling'
                assert cijfer not in dwars[begin + i], 'ongeldige vulling'
            assert cel.cijfer() in (None, cijfer), 'ongeldige vulling'
        for cel, cijfer in zip(woorden[begin], cijfers):
            cel.vul(cijfer)

    def horizontaal_getallen(self, r):
        return self._getallen(self.rijen[r])

    def verticaal_getallen(self, k):
        return self._getallen(self.kolommen[k])

    def horizontaal_cijfers(self, r):
        return set(self.rijcijfers[r])

    def verticaal_cijfers(self, k):
        return set(self.kolomcijfers[k])

    def horizontaal_invullen(self, r, k, n):
        assert 0 <= r < len(self.rijen), 'ongeldige vulling'
        self._vul(self.rijen[r], self.rijcijfers[r], self.kolomcijfers, k, n)

    def verticaal_invullen(self, r, k, n):
        assert 0 <= k < len(self.kolommen), 'ongeldige vulling'
        self._vul(self.kolommen[k], self.kolomcijfers[k], self.rijcijfers, r, n)
