"""Een rij of kolom voorbij het rooster geeft een IndexError in plaats van een AssertionError."""
# verliest: horizontaal_invullen, verticaal_invullen

from itertools import groupby


class Cel:

    cijfers = {s: i for i, s in enumerate("123456789", 1)}
    letters = {s: i for i, s in enumerate("ABCDEFGHI", 1)}
    symbolen = {".": None, "#": None, **cijfers, **letters}

    def __init__(self, symbool: str):
        assert symbool in self.symbolen, "ongeldig symbool"
        self.symbool = symbool

    def __str__(self) -> str:
        return self.symbool

    def isgekleurd(self) -> bool:
        return self.symbool == "#" or self.symbool in self.letters

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
        return "\n".join("".join(map(str, rij)) for rij in self.rijen)

    @staticmethod
    def _woorden(lijn):
        """Splitst een rij of kolom in woorden: (start, lijst van cellen)."""
        for gekleurd, groep in groupby(enumerate(lijn), lambda paar: paar[1].isgekleurd()):
            if not gekleurd:
                groep = list(groep)
                yield groep[0][0], [cel for _, cel in groep]

    @staticmethod
    def _cijfers(lijn):
        return {cel.cijfer() for cel in lijn} - {None}

    def _getallen(self, lijn):
        return {start: "".join(map(str, cellen)) for start, cellen in self._woorden(lijn)}

    def _vul(self, lijn, dwars, start, n):
        woorden = dict(self._woorden(lijn))
        cijfers = [int(c) for c in str(n)]
        assert isstraat(n), "ongeldige vulling"
        assert start in woorden, "ongeldige vulling"
        assert len(woorden[start]) == len(cijfers), "ongeldige vulling"
        for i, (cel, cijfer) in enumerate(zip(woorden[start], cijfers)):
            if cel.cijfer() is None:
                assert cijfer not in self._cijfers(lijn), "ongeldige vulling"
                assert cijfer not in self._cijfers(dwars[start + i]), "ongeldige vulling"
            assert cel.cijfer() in (None, cijfer), "ongeldige vulling"
        for cel, cijfer in zip(woorden[start], cijfers):
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
        assert r >= 0, "ongeldige vulling"
        self._vul(self.rijen[r], self.kolommen, k, n)

    def verticaal_invullen(self, r, k, n):
        assert k >= 0, "ongeldige vulling"
        self._vul(self.kolommen[k], self.rijen, r, n)
