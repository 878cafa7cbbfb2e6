"""Reads each file once and remembers it, one ray at a time, refuses step by step."""

from functools import lru_cache


@lru_cache(maxsize=None)
def markeringen(locatie):
    with open(locatie) as bestand:
        return tuple(tuple(regel.split()) for regel in bestand)


class Akari:
    def __init__(self, rijen, kolommen, locatie):
        self.rijen, self.kolommen = rijen, kolommen
        self.zwarte_cellen = {(int(r), int(k)): teken for r, k, teken in markeringen(locatie)}
        self.lampen = set()

    def wit(self, r, k):
        binnen = 0 <= r < self.rijen and 0 <= k < self.kolommen
        return binnen and (r, k) not in self.zwarte_cellen

    def straal(self, r, k, dr, dk):
        cellen = set()
        r, k = r + dr, k + dk
        while self.wit(r, k):
            cellen.add((r, k))
            r, k = r + dr, k + dk
        return cellen

    def stralen(self, r, k):
        return (
            self.straal(r, k, -1, 0)
            | self.straal(r, k, 1, 0)
            | self.straal(r, k, 0, -1)
            | self.straal(r, k, 0, 1)
        )

    def verlicht(self):
        licht = set()
        for lamp in self.lampen:
            licht |= self.stralen(*lamp)
        return licht

    def lampen_rond(self, r, k):
        buren = {(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)}
        return len(buren & self.lampen)

    def getallen(self):
        return [(cel, int(teken)) for cel, teken in self.zwarte_cellen.items() if teken != "?"]

    def plaats_lamp(self, r, k):
        if not self.wit(r, k) or (r, k) in self.lampen | self.verlicht():
            raise AssertionError("ongeldige positie")
        self.lampen.add((r, k))
        if any(self.lampen_rond(*cel) > getal for cel, getal in self.getallen()):
            self.lampen.remove((r, k))
            raise AssertionError("ongeldige positie")

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError("ongeldige positie")
        self.lampen.remove((r, k))

    def isopgelost(self):
        gevuld = len(self.zwarte_cellen) + len(self.lampen) + len(self.verlicht())
        juist = all(self.lampen_rond(*cel) == getal for cel, getal in self.getallen())
        return juist and gevuld == self.rijen * self.kolommen

    def teken(self, r, k, licht):
        if (r, k) in self.lampen:
            return "L"
        return self.zwarte_cellen.get((r, k), "*" if (r, k) in licht else "_")

    def __str__(self):
        licht = self.verlicht()
        regels = []
        for r in range(self.rijen):
            regels.append("".join(self.teken(r, k, licht) for k in range(self.kolommen)))
        return "\n".join(regels)
