"""Leest alle regels ineens, en kan een bestand zonder regels niet lezen; kijkt met een lus in een richting."""


class Akari:
    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        with open(locatie) as bestand:
            regels = bestand.read().strip().split("\n")
        self.zwarte_cellen = {}
        for regel in regels:
            velden = regel.split(" ")
            self.zwarte_cellen[(int(velden[0]), int(velden[1]))] = velden[2]
        self.lampen = set()

    def kijk(self, r, k, dr, dk):
        gezien = []
        while True:
            r, k = r + dr, k + dk
            if r not in range(self.rijen) or k not in range(self.kolommen):
                return gezien
            if (r, k) in self.zwarte_cellen:
                return gezien
            gezien.append((r, k))

    def stralen(self, r, k):
        naast = self.kijk(r, k, 0, 1) + self.kijk(r, k, 0, -1)
        return set(naast + self.kijk(r, k, 1, 0) + self.kijk(r, k, -1, 0))

    def verlicht(self):
        licht = set()
        for r, k in self.lampen:
            licht.update(self.stralen(r, k))
        return licht

    def lampen_rond(self, r, k):
        return sum(cel in self.lampen for cel in ((r, k - 1), (r, k + 1), (r - 1, k), (r + 1, k)))

    def is_vol(self, r, k):
        teken = self.zwarte_cellen.get((r, k), "?")
        return teken != "?" and self.lampen_rond(r, k) == int(teken)

    def plaats_lamp(self, r, k):
        mag = r in range(self.rijen) and k in range(self.kolommen)
        mag = mag and (r, k) not in self.zwarte_cellen and (r, k) not in self.lampen
        # wie een lamp ziet, wordt door die lamp verlicht
        mag = mag and not self.stralen(r, k) & self.lampen
        for buur in ((r, k - 1), (r, k + 1), (r - 1, k), (r + 1, k)):
            mag = mag and not self.is_vol(*buur)
        if not mag:
            raise AssertionError("ongeldige positie")
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError("ongeldige positie")
        self.lampen.discard((r, k))

    def isopgelost(self):
        for (r, k), teken in self.zwarte_cellen.items():
            if teken != "?" and self.lampen_rond(r, k) != int(teken):
                return False
        return "_" not in str(self)

    def __str__(self):
        tekst = ""
        licht = self.verlicht()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    tekst += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    tekst += "L"
                else:
                    tekst += "*" if (r, k) in licht else "_"
            tekst += "\n"
        return tekst.rstrip("\n")
