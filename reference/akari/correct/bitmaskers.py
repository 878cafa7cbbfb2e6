"""Elke groep cellen is één geheel getal met een bit per cel, zonder verzamelingen."""


class Akari:
    """Een akaripuzzel waarin cel (r, k) overeenkomt met bit r * (kolommen + 1) + k.

    Na elke rij volgt een bit die altijd nul is. Daardoor loopt een lichtstraal
    voorbij de rand van een rij niet door op de volgende rij.
    """

    def __init__(self, m: int, n: int, locatie: str, /) -> None:
        """Lees de zwarte cellen en bereid per getal een masker van zijn buren voor."""
        self._n = n
        self._stap = n + 1
        self._bord = sum(((1 << n) - 1) << (rij * self._stap) for rij in range(m))
        self._wit = self._bord
        self._lampen = 0
        self._eisen: list[tuple[int, int]] = []
        self.zwarte_cellen: dict[tuple[int, int], str] = {}
        with open(locatie, encoding="utf-8") as bestand:
            for regel in filter(str.strip, bestand):
                self._maak_zwart(*regel.split())

    @property
    def lampen(self) -> set[tuple[int, int]]:
        """De posities van de lampen, uitgepakt uit hun bits."""
        return self._uitpakken(self._lampen)

    def verlicht(self) -> set[tuple[int, int]]:
        """Geef de posities van de verlichte cellen."""
        return self._uitpakken(self._licht(self._lampen))

    def stralen(self, r: int, k: int, /) -> set[tuple[int, int]]:
        """Geef de posities waarop een lamp op (r, k) zou schijnen."""
        return self._uitpakken(self._licht(self._bit(r, k)))

    def plaats_lamp(self, r: int, k: int, /) -> None:
        """Zet de bit van een cel in de bits van de lampen."""
        bit = self._bit(r, k)
        vrij = self._wit & ~self._lampen & ~self._licht(self._lampen)
        erbij = self._lampen | bit
        te_veel = any((erbij & rond).bit_count() > getal for rond, getal in self._eisen)
        assert bit & vrij, "ongeldige positie"
        assert not te_veel, "ongeldige positie"
        self._lampen = erbij

    def verwijder_lamp(self, r: int, k: int, /) -> None:
        """Wis de bit van een cel uit de bits van de lampen."""
        bit = self._bit(r, k)
        assert bit & self._lampen, "ongeldige positie"
        self._lampen ^= bit

    def isopgelost(self) -> bool:
        """Vergelijk het licht met het wit, en de bits rond elk getal met dat getal."""
        return self._lampen | self._licht(self._lampen) == self._wit and all(
            (self._lampen & rond).bit_count() == getal for rond, getal in self._eisen
        )

    def __str__(self) -> str:
        """Geef voor elke bit van het bord een teken, en een regeleinde na elke rij."""
        licht = self._licht(self._lampen)
        tekens = []
        for nummer in range(self._bord.bit_length()):
            r, k = divmod(nummer, self._stap)
            if k == self._n:
                tekens.append("\n")
            elif self._lampen >> nummer & 1:
                tekens.append("L")
            else:
                leeg = "*" if licht >> nummer & 1 else "_"
                tekens.append(self.zwarte_cellen.get((r, k), leeg))
        return "".join(tekens)

    def _maak_zwart(self, rij: str, kolom: str, markering: str) -> None:
        """Maak een cel zwart, en noteer haar getal als ze er een heeft."""
        r, k = int(rij), int(kolom)
        self.zwarte_cellen[r, k] = markering
        bit = self._bit(r, k)
        self._wit &= ~bit
        if markering != "?":
            rond = bit << 1 | bit >> 1 | bit << self._stap | bit >> self._stap
            self._eisen.append((rond, int(markering)))

    def _bit(self, r: int, k: int) -> int:
        """Geef de bit van een cel, of nul als die cel niet op het bord ligt."""
        if r < 0 or not 0 <= k < self._n:
            return 0
        return 1 << (r * self._stap + k) & self._bord

    def _licht(self, bron: int) -> int:
        """Laat alle bits van de bron tegelijk in vier richtingen schijnen."""
        licht = 0
        for afstand in (1, self._stap):
            omhoog = omlaag = bron
            while omhoog or omlaag:
                omhoog = omhoog << afstand & self._wit
                omlaag = omlaag >> afstand & self._wit
                licht |= omhoog | omlaag
        return licht

    def _uitpakken(self, bits: int) -> set[tuple[int, int]]:
        """Zet bits om naar een verzameling posities."""
        posities = set()
        while bits:
            laagste = bits & -bits
            posities.add(divmod(laagste.bit_length() - 1, self._stap))
            bits ^= laagste
        return posities
