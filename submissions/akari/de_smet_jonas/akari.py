from hulp import lees_bestand, buren


class Akari:
    """ Stelt een akaripuzzel voor """

    def __init__(self, rijen, kolommen, naam):
        self.rijen, self.kolommen = rijen, kolommen
        self.zwarte_cellen = lees_bestand(naam)
        self.lampen = set()

    def loop(self, r, k, dr, dk):
        # generator: alle witte cellen in 1 richting
        r, k = r + dr, k + dk
        while 0 <= r < self.rijen and 0 <= k < self.kolommen and (r, k) not in self.zwarte_cellen:
            yield r, k
            r, k = r + dr, k + dk

    def stralen(self, r, k):
        return {*self.loop(r, k, 1, 0), *self.loop(r, k, -1, 0), *self.loop(r, k, 0, 1), *self.loop(r, k, 0, -1)}

    def verlicht(self):
        alles = set()
        for lamp in self.lampen:
            alles |= self.stralen(*lamp)
        return alles

    def controle(self, lampen):
        """ staat er nergens te veel """
        for cel, m in self.zwarte_cellen.items():
            if m != "?" and len(buren(*cel) & lampen) > int(m):
                return False
        return True

    def plaats_lamp(self, r, k):
        ok = 0 <= r < self.rijen and 0 <= k < self.kolommen
        ok = ok and (r, k) not in self.zwarte_cellen
        ok = ok and (r, k) not in self.lampen | self.verlicht()
        ok = ok and self.controle(self.lampen | {(r, k)})
        if not ok:
            raise AssertionError("ongeldige positie")
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        try:
            self.lampen.remove((r, k))
        except KeyError:
            raise AssertionError("ongeldige positie")

    def isopgelost(self):
        for cel, m in self.zwarte_cellen.items():
            if m != "?" and len(buren(*cel) & self.lampen) != int(m):
                return False
        aantal = len(self.zwarte_cellen) + len(self.lampen) + len(self.verlicht())
        return aantal == self.rijen * self.kolommen

    def __str__(self):
        s = ""
        v = self.verlicht()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.lampen:
                    s += "L"
                elif (r, k) in v:
                    s += "*"
                else:
                    s += self.zwarte_cellen.get((r, k), "_")
            if r != self.rijen - 1:
                s += "\n"
        return s
