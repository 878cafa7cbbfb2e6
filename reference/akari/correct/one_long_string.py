"""The board is one long string (rows behind one another) that is cut and pasted, the file goes through read().split on newlines, empty lines are skipped."""


class Akari:

    def __init__(self, hoogte, breedte, pad):
        self.hoogte = hoogte
        self.breedte = breedte
        self.bord = "_" * (hoogte * breedte)
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(pad) as f:
            for regel in f.read().split("\n"):
                if regel == "":
                    continue
                r, k, m = regel.split(" ")
                r, k = int(r), int(k)
                self.zwarte_cellen[(r, k)] = m
                self.schrijf(r, k, m)

    def schrijf(self, r, k, teken):
        i = r * self.breedte + k
        self.bord = self.bord[:i] + teken + self.bord[i + 1:]

    def lees(self, r, k):
        if r < 0 or r >= self.hoogte or k < 0 or k >= self.breedte:
            return "#"
        return self.bord[r * self.breedte + k]

    def stralen(self, r, k):
        cellen = set()
        for dr in (-1, 0, 1):
            for dk in (-1, 0, 1):
                if abs(dr) + abs(dk) == 1:
                    y = r + dr
                    x = k + dk
                    while self.lees(y, x) in "_*L":
                        cellen.add((y, x))
                        y += dr
                        x += dk
        return cellen

    def verlicht(self):
        return {
            (i // self.breedte, i % self.breedte)
            for i, teken in enumerate(self.bord)
            if teken == "*"
        }

    def hertekenen(self):
        # eerst alles uit, daarna de lampen weer aan
        self.bord = self.bord.replace("*", "_").replace("L", "_")
        for lamp in self.lampen:
            for r, k in self.stralen(*lamp):
                self.schrijf(r, k, "*")
        for r, k in self.lampen:
            self.schrijf(r, k, "L")

    def rondom(self, r, k):
        return (
            self.lees(r - 1, k) + self.lees(r, k + 1)
            + self.lees(r + 1, k) + self.lees(r, k - 1)
        )

    def plaats_lamp(self, r, k):
        # enkel een lege, donkere witte cel is goed
        assert self.lees(r, k) == "_", "ongeldige positie"
        for y, x in [(r - 1, k), (r, k + 1), (r + 1, k), (r, k - 1)]:
            if self.lees(y, x) in "01234":
                maximum = int(self.lees(y, x))
                assert self.rondom(y, x).count("L") < maximum, "ongeldige positie"
        self.lampen.add((r, k))
        self.hertekenen()

    def verwijder_lamp(self, r, k):
        assert self.lees(r, k) == "L", "ongeldige positie"
        self.lampen.discard((r, k))
        self.hertekenen()

    def isopgelost(self):
        if "_" in self.bord:
            return False
        for (r, k), m in self.zwarte_cellen.items():
            if m != "?" and self.rondom(r, k).count("L") != int(m):
                return False
        return True

    def __str__(self):
        regels = []
        for r in range(self.hoogte):
            regels.append(self.bord[r * self.breedte:(r + 1) * self.breedte])
        return "\n".join(regels)
