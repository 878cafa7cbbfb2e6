"""Vult cijfer per cijfer in tijdens het controleren, zodat een geweigerde vulling half in het rooster staat."""
# verliest: horizontaal_invullen, verticaal_invullen

LETTERS = "ABCDEFGHI"
CIJFERS = "123456789"


class Cel(object):
    # een cel houdt bij: zwart (True/False) en getal (1-9 of None)

    def __init__(self, teken):
        self.getal = None
        if teken == "." or teken == "#":
            self.zwart = teken == "#"
        elif len(teken) == 1 and teken in LETTERS:
            self.zwart = True
            self.getal = LETTERS.index(teken) + 1
        elif len(teken) == 1 and teken in CIJFERS:
            self.zwart = False
            self.getal = int(teken)
        else:
            raise AssertionError("ongeldig symbool")

    def isgekleurd(self):
        return self.zwart

    def cijfer(self):
        return self.getal

    def __str__(self):
        if self.getal is None:
            if self.zwart:
                return "#"
            return "."
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
        self.cellen = {}
        r = 0
        for lijn in open(locatie, "r").read().split("\n"):
            if lijn.strip() != "":
                for k in range(9):
                    self.cellen[(r, k)] = Cel(lijn[k])
                r += 1

    def __str__(self):
        s = ""
        for r in range(9):
            for k in range(9):
                s += str(self.cellen[(r, k)])
            if r < 8:
                s += "\n"
        return s

    def horizontaal_getallen(self, r):
        resultaat = {}
        k = 0
        while k < 9:
            if self.cellen[(r, k)].isgekleurd():
                k += 1
            else:
                begin = k
                patroon = ""
                while k < 9 and not self.cellen[(r, k)].isgekleurd():
                    patroon += str(self.cellen[(r, k)])
                    k += 1
                resultaat[begin] = patroon
        return resultaat

    def verticaal_getallen(self, k):
        resultaat = {}
        r = 0
        while r < 9:
            if self.cellen[(r, k)].isgekleurd():
                r += 1
            else:
                begin = r
                patroon = ""
                while r < 9 and not self.cellen[(r, k)].isgekleurd():
                    patroon += str(self.cellen[(r, k)])
                    r += 1
                resultaat[begin] = patroon
        return resultaat

    def horizontaal_cijfers(self, r):
        verzameling = set()
        for k in range(9):
            c = self.cellen[(r, k)].cijfer()
            if c is not None:
                verzameling.add(c)
        return verzameling

    def verticaal_cijfers(self, k):
        verzameling = set()
        for r in range(9):
            c = self.cellen[(r, k)].cijfer()
            if c is not None:
                verzameling.add(c)
        return verzameling

    def horizontaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError("ongeldige vulling")
        if (r, k) not in self.cellen:
            raise AssertionError("ongeldige vulling")
        getallen = self.horizontaal_getallen(r)
        if k not in getallen:
            raise AssertionError("ongeldige vulling")
        i = 0
        for teken in str(n):
            c = int(teken)
            if (r, k + i) not in self.cellen or self.cellen[(r, k + i)].isgekleurd():
                raise AssertionError("ongeldige vulling")
            cel = self.cellen[(r, k + i)]
            if cel.cijfer() is not None:
                if cel.cijfer() != c:
                    raise AssertionError("ongeldige vulling")
            elif c in self.horizontaal_cijfers(r) or c in self.verticaal_cijfers(k + i):
                raise AssertionError("ongeldige vulling")
            self.cellen[(r, k + i)] = Cel(teken)
            i += 1
        # het getal moet hier ook gedaan zijn
        if (r, k + i) in self.cellen and not self.cellen[(r, k + i)].isgekleurd():
            raise AssertionError("ongeldige vulling")

    def verticaal_invullen(self, r, k, n):
        if not isstraat(n):
            raise AssertionError("ongeldige vulling")
        if (r, k) not in self.cellen:
            raise AssertionError("ongeldige vulling")
        getallen = self.verticaal_getallen(k)
        if r not in getallen:
            raise AssertionError("ongeldige vulling")
        i = 0
        for teken in str(n):
            c = int(teken)
            if (r + i, k) not in self.cellen or self.cellen[(r + i, k)].isgekleurd():
                raise AssertionError("ongeldige vulling")
            cel = self.cellen[(r + i, k)]
            if cel.cijfer() is not None:
                if cel.cijfer() != c:
                    raise AssertionError("ongeldige vulling")
            elif c in self.horizontaal_cijfers(r + i) or c in self.verticaal_cijfers(k):
                raise AssertionError("ongeldige vulling")
            self.cellen[(r + i, k)] = Cel(teken)
            i += 1
        # het getal moet hier ook gedaan zijn
        if (r + i, k) in self.cellen and not self.cellen[(r + i, k)].isgekleurd():
            raise AssertionError("ongeldige vulling")
