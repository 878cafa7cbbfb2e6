"""Er wordt een ValueError opgeworpen in plaats van een AssertionError."""
# verliest: plaats_lamp, verwijder_lamp


class Akari:
    def __init__(self, m, n, naam):
        self.m, self.n = m, n
        self.lampen = set()
        self.zwarte_cellen = self.lees(naam)

    def lees(self, naam):
        zwart = {}
        with open(naam, "r") as bestand:
            for regel in bestand.read().strip().split("\n"):
                if regel:
                    stukken = regel.split(" ")
                    zwart[int(stukken[0]), int(stukken[1])] = stukken[2].strip()
        return zwart

    # hulpfunctie: alle vier de cellen naast een cel (in het rooster)
    def naast(self, r, k):
        return {(i, j) for i, j in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
                if 0 <= i < self.m and 0 <= j < self.n}

    def stralen(self, r, k):
        licht = set()
        for j in range(k + 1, self.n):          # rechts
            if (r, j) in self.zwarte_cellen:
                break
            licht.add((r, j))
        for j in range(k - 1, -1, -1):          # links
            if (r, j) in self.zwarte_cellen:
                break
            licht.add((r, j))
        for i in range(r + 1, self.m):          # onder
            if (i, k) in self.zwarte_cellen:
                break
            licht.add((i, k))
        for i in range(r - 1, -1, -1):          # boven
            if (i, k) in self.zwarte_cellen:
                break
            licht.add((i, k))
        return licht

    def verlicht(self):
        licht = set()
        for r, k in self.lampen:
            licht |= self.stralen(r, k)
        return licht

    def mag(self, r, k):
        if r < 0 or r >= self.m or k < 0 or k >= self.n:
            return False
        if (r, k) in self.zwarte_cellen or (r, k) in self.lampen:
            return False
        if (r, k) in self.verlicht():
            return False
        for buur in self.naast(r, k):
            getal = self.zwarte_cellen.get(buur, "?")
            if getal != "?" and len(self.naast(*buur) & self.lampen) >= int(getal):
                return False
        return True

    def plaats_lamp(self, r, k):
        if not self.mag(r, k):
            raise ValueError("ongeldige positie")
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise ValueError("ongeldige positie")
        self.lampen.remove((r, k))

    def isopgelost(self):
        aantal_wit = self.m * self.n - len(self.zwarte_cellen)
        if len(self.lampen) + len(self.verlicht()) != aantal_wit:
            return False
        for cel in self.zwarte_cellen:
            getal = self.zwarte_cellen[cel]
            if getal != "?" and len(self.naast(*cel) & self.lampen) != int(getal):
                return False
        return True

    def teken(self, r, k):
        if (r, k) in self.zwarte_cellen:
            return self.zwarte_cellen[r, k]
        if (r, k) in self.lampen:
            return "L"
        if (r, k) in self.verlicht():
            return "*"
        return "_"

    def __str__(self):
        return "\n".join("".join(self.teken(r, k) for k in range(self.n)) for r in range(self.m))
