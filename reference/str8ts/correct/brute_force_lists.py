"""Plainly slow: tries all permutations for a straight, lists with `in`, goes through all 81 cells each time; assert style of a beginner."""
import itertools

cijferlijst = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
letterlijst = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I']


class Cel:

    def __init__(self, teken):
        geldig = cijferlijst + letterlijst + ['.', '#']
        assert teken in geldig, "ongeldig symbool"
        self.teken = teken

    def __str__(self):
        return self.teken

    def isgekleurd(self):
        if self.teken in letterlijst or self.teken == '#':
            return True
        else:
            return False

    def cijfer(self):
        if self.teken in cijferlijst:
            return cijferlijst.index(self.teken) + 1
        elif self.teken in letterlijst:
            return letterlijst.index(self.teken) + 1
        else:
            return None


def isstraat(n):
    cijfers = str(n)
    if len(cijfers) > 9:
        return False
    # alle straten van deze lengte
    straten = []
    for begin in range(1, 10 - len(cijfers) + 1):
        straat = ''
        for i in range(begin, begin + len(cijfers)):
            straat += str(i)
        straten.append(straat)
    # probeer alle volgordes
    for volgorde in itertools.permutations(cijfers):
        if ''.join(volgorde) in straten:
            return True
    return False


class Str8ts:

    def __init__(self, bestand):
        # lijst van [rij, kolom, cel]
        self.cellen = []
        f = open(bestand, 'r')
        r = 0
        for lijn in f.readlines():
            k = 0
            for teken in lijn.strip():
                self.cellen.append([r, k, Cel(teken)])
                k += 1
            r += 1
        f.close()

    def zoek(self, r, k):
        for drietal in self.cellen:
            if drietal[0] == r and drietal[1] == k:
                return drietal[2]
        return None

    def iswit(self, r, k):
        cel = self.zoek(r, k)
        if cel is None:
            return False
        return not cel.isgekleurd()

    def __str__(self):
        tekst = ''
        for r, k, cel in self.cellen:
            if k == 0 and r > 0:
                tekst += '\n'
            tekst += str(cel)
        return tekst

    def horizontaal_getallen(self, r):
        getallen = {}
        for k in range(9):
            if self.iswit(r, k) and not self.iswit(r, k - 1):
                patroon = ''
                kolom = k
                while self.iswit(r, kolom):
                    patroon += str(self.zoek(r, kolom))
                    kolom += 1
                getallen[k] = patroon
        return getallen

    def verticaal_getallen(self, k):
        getallen = {}
        for r in range(9):
            if self.iswit(r, k) and not self.iswit(r - 1, k):
                patroon = ''
                rij = r
                while self.iswit(rij, k):
                    patroon += str(self.zoek(rij, k))
                    rij += 1
                getallen[r] = patroon
        return getallen

    def horizontaal_cijfers(self, r):
        lijst = []
        for rij, kolom, cel in self.cellen:
            if rij == r and cel.cijfer() != None:
                if cel.cijfer() not in lijst:
                    lijst.append(cel.cijfer())
        return set(lijst)

    def verticaal_cijfers(self, k):
        lijst = []
        for rij, kolom, cel in self.cellen:
            if kolom == k and cel.cijfer() != None:
                if cel.cijfer() not in lijst:
                    lijst.append(cel.cijfer())
        return set(lijst)

    def horizontaal_invullen(self, r, k, n):
        assert isstraat(n), "ongeldige vulling"
        assert self.iswit(r, k) and not self.iswit(r, k - 1), "ongeldige vulling"
        cijfers = str(n)
        lengte = 0
        while self.iswit(r, k + lengte):
            lengte += 1
        assert len(cijfers) == lengte, "ongeldige vulling"
        for i in range(lengte):
            cel = self.zoek(r, k + i)
            if cel.cijfer() == None:
                assert int(cijfers[i]) not in self.horizontaal_cijfers(r), "ongeldige vulling"
                assert int(cijfers[i]) not in self.verticaal_cijfers(k + i), "ongeldige vulling"
            else:
                assert cel.cijfer() == int(cijfers[i]), "ongeldige vulling"
        for drietal in self.cellen:
            if drietal[0] == r and k <= drietal[1] < k + lengte:
                drietal[2] = Cel(cijfers[drietal[1] - k])

    def verticaal_invullen(self, r, k, n):
        assert isstraat(n), "ongeldige vulling"
        assert self.iswit(r, k) and not self.iswit(r - 1, k), "ongeldige vulling"
        cijfers = str(n)
        lengte = 0
        while self.iswit(r + lengte, k):
            lengte += 1
        assert len(cijfers) == lengte, "ongeldige vulling"
        for i in range(lengte):
            cel = self.zoek(r + i, k)
            if cel.cijfer() == None:
                assert int(cijfers[i]) not in self.verticaal_cijfers(k), "ongeldige vulling"
                assert int(cijfers[i]) not in self.horizontaal_cijfers(r + i), "ongeldige vulling"
            else:
                assert cel.cijfer() == int(cijfers[i]), "ongeldige vulling"
        for drietal in self.cellen:
            if drietal[1] == k and r <= drietal[0] < r + lengte:
                drietal[2] = Cel(cijfers[drietal[0] - r])
