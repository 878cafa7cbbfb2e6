"""Raadt: een lamp verlicht haar hele rij en kolom, en een vol rooster is opgelost."""


class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen, self.kolommen = rijen, kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        for regel in open(bestand):
            r, k, teken = regel.split()
            self.zwarte_cellen[int(r), int(k)] = teken

    def stralen(self, r, k):
        cellen = {(i, k) for i in range(self.rijen)} | {(r, j) for j in range(self.kolommen)}
        return cellen - {(r, k)} - set(self.zwarte_cellen)

    def verlicht(self):
        return {cel for lamp in self.lampen for cel in self.stralen(*lamp)}

    def __str__(self):
        licht = self.verlicht()

        def teken(cel):
            kaal = "L" if cel in self.lampen else "*" if cel in licht else "_"
            return self.zwarte_cellen.get(cel, kaal)

        rijen = range(self.rijen)
        return "\n".join("".join(teken((r, k)) for k in range(self.kolommen)) for r in rijen)

    def plaats_lamp(self, r, k):
        goed = 0 <= r < self.rijen and 0 <= k < self.kolommen and (r, k) not in self.zwarte_cellen
        buren = ((r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1))
        nul = any(self.zwarte_cellen.get(buur) == "0" for buur in buren)
        if not goed or nul or (r, k) in self.lampen | self.verlicht():
            raise AssertionError("ongeldige positie")
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError("ongeldige positie")
        self.lampen.remove((r, k))

    def isopgelost(self):
        gevuld = len(self.zwarte_cellen) + len(self.lampen) + len(self.verlicht())
        return gevuld == self.rijen * self.kolommen
