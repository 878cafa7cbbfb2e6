import copy


class Cel:
    """Cel van een str8ts puzzel"""

    codes = dict(zip(".123456789#ABCDEFGHI", range(20)))

    def __init__(self, code):
        try:
            self.nummer = self.codes[code]
        except KeyError:
            raise AssertionError("ongeldig symbool")

    def __str__(self):
        return ".123456789#ABCDEFGHI"[self.nummer]

    def isgekleurd(self):
        return self.nummer >= 10

    def cijfer(self):
        c = self.nummer % 10
        if c > 0:
            return c


def isstraat(n):
    """True als n een straat is"""
    if "0" in str(n):
        return False
    laagste = int(min(str(n)))
    return sorted(str(n)) == [str(laagste + i) for i in range(len(str(n)))]


class Str8ts:
    """Het rooster"""

    def __init__(self, locatie):
        self.rooster = []
        with open(locatie) as bestand:
            for regel in bestand:
                if regel.strip() != "":
                    self.rooster.append([])
                    for code in regel.strip():
                        self.rooster[-1].append(Cel(code))

    def __str__(self):
        return "\n".join("".join(map(str, rij)) for rij in self.rooster)

    def _transpose(self):
        # kopie van de puzzel met rijen en kolommen gewisseld
        andere = copy.copy(self)
        andere.rooster = [list(kolom) for kolom in zip(*self.rooster)]
        return andere

    def horizontaal_getallen(self, r):
        tekst = "".join(" " if c.isgekleurd() else str(c) for c in self.rooster[r])
        resultaat = {}
        positie = 0
        for stuk in tekst.split(" "):
            if stuk:
                resultaat[positie] = stuk
            positie += len(stuk) + 1
        return resultaat

    def verticaal_getallen(self, k):
        return self._transpose().horizontaal_getallen(k)

    def horizontaal_cijfers(self, r):
        return {c.cijfer() for c in self.rooster[r]}.difference([None])

    def verticaal_cijfers(self, k):
        return self._transpose().horizontaal_cijfers(k)

    def horizontaal_invullen(self, r, k, n):
        fout = AssertionError("ongeldige vulling")
        if r not in range(9) or k not in self.horizontaal_getallen(r):
            raise fout
        oud = self.horizontaal_getallen(r)[k]
        nieuw = str(n)
        if not isstraat(n) or len(oud) != len(nieuw):
            raise fout
        for i in range(len(oud)):
            verboden = self.horizontaal_cijfers(r) | self.verticaal_cijfers(k + i)
            if oud[i] == "." and int(nieuw[i]) in verboden:
                raise fout
            if oud[i] != "." and oud[i] != nieuw[i]:
                raise fout
        self.rooster[r][k:k + len(nieuw)] = [Cel(c) for c in nieuw]

    def verticaal_invullen(self, r, k, n):
        andere = self._transpose()
        andere.horizontaal_invullen(k, r, n)
        self.rooster = andere._transpose().rooster


# testen
puzzel = Str8ts('puzzel.txt')
print(puzzel)
print(puzzel.horizontaal_getallen(3))
print(puzzel.verticaal_getallen(5))
puzzel.horizontaal_invullen(0, 2, 96587)
puzzel.verticaal_invullen(1, 1, 6587)
print(puzzel)
