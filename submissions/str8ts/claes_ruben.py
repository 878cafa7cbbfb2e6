class Cel:
    def __init__(self, teken):
        if len(teken) != 1 or teken not in ".#123456789ABCDEFGHI":
            raise AssertionError("ongeldig symbool")
        self.teken = teken

    def __str__(self):
        return self.teken

    def isgekleurd(self):
        return self.teken in "#ABCDEFGHI"

    def cijfer(self):
        if self.teken.isdigit():
            return int(self.teken)
        elif self.teken.isalpha():
            return "ABCDEFGHI".find(self.teken) + 1
        else:
            return None


def isstraat(n):
    n = str(n)
    if "0" in n:
        return False
    laagste = min(n)
    hoogste = max(n)
    for c in range(int(laagste), int(hoogste) + 1):
        if n.count(str(c)) != 1:
            return False
    return True


class Str8ts:
    def __init__(self, locatie):
        self.rijen = []
        f = open(locatie)
        for lijn in f:
            lijn = lijn.strip()
            if lijn != "":
                self.rijen.append(lijn)
        f.close()

    def __str__(self):
        return "\n".join(self.rijen)

    def splits(self, tekst):
        # bv. "9..D...#E" -> {0: "9..", 4: "..."}
        getallen = {}
        woord = ""
        for i in range(9):
            if Cel(tekst[i]).isgekleurd():
                if woord:
                    getallen[i - len(woord)] = woord
                woord = ""
            else:
                woord += tekst[i]
        if woord:
            getallen[9 - len(woord)] = woord
        return getallen

    def kolom(self, k):
        tekst = ""
        for rij in self.rijen:
            tekst += rij[k]
        return tekst

    def horizontaal_getallen(self, r):
        return self.splits(self.rijen[r])

    def verticaal_getallen(self, k):
        return self.splits(self.kolom(k))

    def horizontaal_cijfers(self, r):
        cijfers = [Cel(t).cijfer() for t in self.rijen[r]]
        return set(c for c in cijfers if c != None)

    def verticaal_cijfers(self, k):
        cijfers = [Cel(t).cijfer() for t in self.kolom(k)]
        return set(c for c in cijfers if c != None)

    def horizontaal_invullen(self, r, k, n):
        # TODO: geen tijd meer gehad
        pass

    def verticaal_invullen(self, r, k, n):
        pass
