"""Ook vakjes die in de opgave al gekleurd waren, kunnen leeggemaakt worden."""
# verliest: maak_leeg


class YinYang:
    """Puzzel met een dictionary die posities afbeeldt op kleuren."""

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.kleuren = {}
        for positie in wit:
            self.voeg_toe(positie, "wit")
        for positie in zwart:
            self.voeg_toe(positie, "zwart")
        self.gegeven = set(self.kleuren)

    def voeg_toe(self, positie, kleur):
        """Voegt een vakje van de opgave toe."""
        if self.buiten(positie) or positie in self.kleuren or self.maakt_vierkant(positie, kleur):
            raise AssertionError("ongeldige puzzel")
        self.kleuren[positie] = kleur

    def buiten(self, positie):
        return min(positie) < 0 or max(positie) >= self.dimensie

    def maakt_vierkant(self, positie, kleur):
        """Kijkt in de vier hoeken rond de positie."""
        r, k = positie
        for dr in (-1, 1):
            for dk in (-1, 1):
                buren = [(r + dr, k), (r, k + dk), (r + dr, k + dk)]
                if all(self.kleuren.get(p) == kleur for p in buren):
                    return True
        return False

    def kleur_vakje(self, positie, kleur):
        fout = (
            self.buiten(positie)
            or positie in self.kleuren
            or self.maakt_vierkant(positie, kleur)
        )
        if fout:
            raise AssertionError("ongeldige actie")
        self.kleuren[positie] = kleur

    def maak_wit(self, positie):
        self.kleur_vakje(positie, "wit")
        return self

    def maak_zwart(self, positie):
        self.kleur_vakje(positie, "zwart")
        return self

    def maak_leeg(self, positie):
        if positie not in self.kleuren:
            raise AssertionError("ongeldige actie")
        del self.kleuren[positie]
        return self

    def aaneengesloten_gebied(self, positie):
        kleur = self.kleuren.get(positie)
        if kleur is None:
            return set()
        gebied = set()
        stapel = [positie]
        while stapel:
            vakje = stapel.pop()
            if vakje not in gebied and self.kleuren.get(vakje) == kleur:
                gebied.add(vakje)
                r, k = vakje
                stapel += [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
        return gebied

    def een_gebied(self, kleur):
        vakjes = {p for p in self.kleuren if self.kleuren[p] == kleur}
        if not vakjes:
            return True
        start = min(vakjes)
        return self.aaneengesloten_gebied(start) == vakjes

    def isopgelost(self):
        vol = len(self.kleuren) == self.dimensie ** 2
        return vol and self.een_gebied("wit") and self.een_gebied("zwart")

    def __str__(self):
        tekst = ""
        for r in range(self.dimensie):
            for k in range(self.dimensie):
                kleur = self.kleuren.get((r, k))
                if kleur is None:
                    teken = "-"
                elif kleur == "wit":
                    teken = "w"
                else:
                    teken = "b"
                if (r, k) in self.gegeven and teken != "-":
                    teken = teken.upper()
                tekst += teken
            tekst += "\n"
        return tekst.rstrip("\n")
