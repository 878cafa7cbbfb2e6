"""Ziet een zwarte cel met een cijfer (een letter) niet als gekleurd."""
# verliest: isgekleurd, horizontaal_getallen, verticaal_getallen, horizontaal_invullen, verticaal_invullen

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
        return self.symbool == '#'

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

    def __str__(self) -> str:
        return '\n'.join(''.join(map(str, rij)) for rij in self.rijen)

    @staticmethod
    def _stukken(lijn):
        """Splitst een rij of kolom in stukken: (begin, lijst van cellen)."""
        for gekleurd, groep in groupby(enumerate(lijn), lambda paar: paar[1].isgekleurd()):
            if not gekleurd:
                groep = list(groep)
                yield groep[0][0], [cel for _, cel in groep]

    @staticmethod
    def _cijfers(lijn):
        return {cel.cijfer() for cel in lijn} - {None}

    def _getallen(self, lijn):
        return {begin: ''.join(map(str, cellen)) for begin, cellen in self._stukken(lijn)}

    def _vul(self, lijn, dwars, begin, n):
        stukken = dict(self._stukken(lijn))
        cijfers = [int(c) for c in str(n)]
        assert isstraat(n), 'ongeldige vulling'
        assert begin in stukken, 'ongeldige vulling'
        assert len(stukken[begin]) == len(cijfers), 'ongeldige vulling'
        for i, (cel, cijfer) in enumerate(zip(stukken[begin], cijfers)):
            if cel.cijfer() is None:
                assert cijfer not in self._cijfers(lijn), 'ongeldige vulling'
                assert cijfer not in self._cijfers(dwars[begin + i]), 'ongeldige vulling'
            assert cel.cijfer() in (None, cijfer), 'ongeldige vulling'
        for cel, cijfer in zip(stukken[begin], cijfers):
            cel.vul(cijfer)

    def horizontaal_getallen(self, r):
        return self._getallen(self.rijen[r])

    def verticaal_getallen(self, k):
        return self._getallen(self.kolommen[k])

    def horizontaal_cijfers(self, r):
        return self._cijfers(self.rijen[r])

    def verticaal_cijfers(self, k):
        return self._cijfers(self.kolommen[k])

    def horizontaal_invullen(self, r, k, n):
        assert 0 <= r < len(self.rijen), 'ongeldige vulling'
        self._vul(self.rijen[r], self.kolommen, k, n)

    def verticaal_invullen(self, r, k, n):
        assert 0 <= k < len(self.kolommen), 'ongeldige vulling'
        self._vul(self.kolommen[k], self.rijen, r, n)
