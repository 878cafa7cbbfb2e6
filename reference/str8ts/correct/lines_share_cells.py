"""Cel has subclasses chosen in __new__; row and column objects (Lijn) share the very same cells, and each cell knows its two lines."""


class Cel:

    def __new__(cls, symbool):
        if isinstance(symbool, str) and len(symbool) == 1:
            if symbool in '.123456789':
                return super().__new__(WitteCel)
            if symbool in '#ABCDEFGHI':
                return super().__new__(ZwarteCel)
        raise AssertionError('ongeldig symbool')

    def __init__(self, symbool):
        self._inhoud = self.symbolen.index(symbool)
        self.lijnen = []

    def __str__(self):
        return self.symbolen[self._inhoud]

    def cijfer(self):
        if self._inhoud:
            return self._inhoud
        return None


class WitteCel(Cel):
    symbolen = '.123456789'

    def isgekleurd(self):
        return False

    def kan(self, cijfer):
        if self.cijfer() is not None:
            return self.cijfer() == cijfer
        for lijn in self.lijnen:
            if cijfer in lijn.cijfers():
                return False
        return True

    def vul(self, cijfer):
        self._inhoud = cijfer


class ZwarteCel(Cel):
    symbolen = '#ABCDEFGHI'

    def isgekleurd(self):
        return True


class Lijn:

    def __init__(self, cellen):
        self.cellen = cellen
        for cel in cellen:
            cel.lijnen.append(self)

    def __str__(self):
        return ''.join(str(cel) for cel in self.cellen)

    def cijfers(self):
        return {cel.cijfer() for cel in self.cellen} - {None}

    def groepen(self):
        groepen = {}
        for i, cel in enumerate(self.cellen):
            if not cel.isgekleurd():
                if i == 0 or self.cellen[i - 1].isgekleurd():
                    groep = groepen[i] = []
                groep.append(cel)
        return groepen

    def getallen(self):
        return {i: ''.join(str(c) for c in groep) for i, groep in self.groepen().items()}

    def invullen(self, start, n):
        groep = self.groepen().get(start, [])
        cijfers = [int(c) for c in str(n)]
        if len(groep) != len(cijfers):
            return False
        for cel, cijfer in zip(groep, cijfers):
            if not cel.kan(cijfer):
                return False
        for cel, cijfer in zip(groep, cijfers):
            cel.vul(cijfer)
        return True


def isstraat(n):
    if n < 1:
        return False
    cijfers = [int(c) for c in str(n)]
    buren = 0
    for c in cijfers:
        if c == 0 or cijfers.count(c) != 1:
            return False
        if c + 1 in cijfers:
            buren += 1
    # enkel het grootste cijfer heeft geen opvolger
    return buren == len(cijfers) - 1


class Str8ts:

    def __init__(self, locatie):
        with open(locatie) as bestand:
            cellen = [[Cel(s) for s in regel.split()[0]] for regel in bestand]
        self.rijen = [Lijn(rij) for rij in cellen]
        self.kolommen = [Lijn(list(kolom)) for kolom in zip(*cellen)]

    def __str__(self):
        return '\n'.join(str(rij) for rij in self.rijen)

    def horizontaal_getallen(self, r):
        return self.rijen[r].getallen()

    def verticaal_getallen(self, k):
        return self.kolommen[k].getallen()

    def horizontaal_cijfers(self, r):
        return self.rijen[r].cijfers()

    def verticaal_cijfers(self, k):
        return self.kolommen[k].cijfers()

    def horizontaal_invullen(self, r, k, n):
        binnen = r in range(9) and k in range(9)
        if not binnen or not isstraat(n) or not self.rijen[r].invullen(k, n):
            raise AssertionError('ongeldige vulling')

    def verticaal_invullen(self, r, k, n):
        binnen = r in range(9) and k in range(9)
        if not binnen or not isstraat(n) or not self.kolommen[k].invullen(r, n):
            raise AssertionError('ongeldige vulling')
