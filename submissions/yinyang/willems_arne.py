class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.wit = set(wit)
        self.zwart = set(zwart)
        self.opgave = self.wit | self.zwart
        assert len(self.wit & self.zwart) == 0, "ongeldige puzzel"
        for r, k in self.opgave:
            assert 0 <= r < dimensie, "ongeldige puzzel"
            assert 0 <= k < dimensie, "ongeldige puzzel"
        for groep in (self.wit, self.zwart):
            for positie in groep:
                assert not self.vierkant(positie, groep), "ongeldige puzzel"

    def vierkant(self, positie, groep):
        r, k = positie
        for i in (-1, 1):
            for j in (-1, 1):
                if (r + i, k) in groep and (r, k + j) in groep and (r + i, k + j) in groep:
                    return True
        return False

    def controleer(self, positie, groep):
        r, k = positie
        assert 0 <= r < self.dimensie and 0 <= k < self.dimensie, "ongeldige actie"
        assert positie not in self.wit and positie not in self.zwart, "ongeldige actie"
        assert not self.vierkant(positie, groep), "ongeldige actie"

    def maak_wit(self, positie):
        self.controleer(positie, self.wit)
        self.wit.add(positie)
        return self

    def maak_zwart(self, positie):
        self.controleer(positie, self.zwart)
        self.zwart.add(positie)
        return self

    def maak_leeg(self, positie):
        assert positie in self.wit or positie in self.zwart, "ongeldige actie"
        assert positie not in self.opgave, "ongeldige actie"
        if positie in self.wit:
            self.wit.remove(positie)
        else:
            self.zwart.remove(positie)
        return self

    def aaneengesloten_gebied(self, positie):
        if positie in self.wit:
            groep = self.wit
        elif positie in self.zwart:
            groep = self.zwart
        else:
            return set()
        G = {positie}
        T = [positie]
        while len(T) > 0:
            # neem een positie uit T
            r, k = T[0]
            for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
                if buur in groep and buur not in G:
                    G.add(buur)
                    T.append(buur)
        return G

    def isopgelost(self):
        if len(self.wit) + len(self.zwart) < self.dimensie ** 2:
            return False
        return self.aaneengesloten_gebied(min(self.wit)) == self.wit and self.aaneengesloten_gebied(min(self.zwart)) == self.zwart

    def __str__(self):
        uitvoer = []
        for r in range(self.dimensie):
            regel = ""
            for k in range(self.dimensie):
                if (r, k) in self.wit:
                    teken = "w"
                elif (r, k) in self.zwart:
                    teken = "b"
                else:
                    teken = "-"
                if (r, k) in self.opgave:
                    teken = teken.upper()
                regel = regel + teken
            uitvoer.append(regel)
        return "\n".join(uitvoer)
