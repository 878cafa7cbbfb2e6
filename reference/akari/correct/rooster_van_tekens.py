"""Eén rooster van tekens is de enige toestand: al de rest wordt eruit afgelezen."""

from collections.abc import Iterator

WIT, LAMP = "_", "L"
MELDING = "ongeldige positie"


class Akari:
    """Een akaripuzzel als lijst van rijen, en elke rij als lijst van tekens."""

    def __init__(self, hoogte: int, breedte: int, pad: str) -> None:
        """Teken een leeg rooster en zet er de zwarte cellen uit het bestand in."""
        self.rooster = [[WIT] * breedte for _ in range(hoogte)]
        with open(pad, encoding="utf-8") as bestand:
            woorden = bestand.read().split()
        # drie aan drie: regeleinden en lege regels spelen zo geen rol
        drietallen = zip(woorden[::3], woorden[1::3], woorden[2::3], strict=True)
        for rij, kolom, markering in drietallen:
            self.rooster[int(rij)][int(kolom)] = markering

    @property
    def zwarte_cellen(self) -> dict[tuple[int, int], str]:
        """Lees de zwarte cellen met hun markering af van het rooster."""
        zwart = (cel for cel in self._cellen() if cel[-1] not in (WIT, LAMP))
        return {(rij, kolom): teken for rij, kolom, teken in zwart}

    @property
    def lampen(self) -> set[tuple[int, int]]:
        """Lees de posities van de lampen af van het rooster."""
        return {(rij, kolom) for rij, kolom, teken in self._cellen() if teken == LAMP}

    def stralen(self, rij: int, kolom: int) -> set[tuple[int, int]]:
        """Snijd de vier armen van een cel uit het rooster, tot aan de zwarte cellen."""
        regel = self.rooster[rij]
        zuil = [andere[kolom] for andere in self.rooster]
        horizontaal = {(rij, plaats) for plaats in zichtbaar(regel, kolom)}
        verticaal = {(plaats, kolom) for plaats in zichtbaar(zuil, rij)}
        return horizontaal | verticaal

    def verlicht(self) -> set[tuple[int, int]]:
        """Kijk vanuit elke witte cel zonder lamp of er een lamp te zien is."""
        lampen = self.lampen
        return {
            (rij, kolom)
            for rij, kolom, teken in self._cellen()
            if teken == WIT and self.stralen(rij, kolom) & lampen
        }

    def plaats_lamp(self, rij: int, kolom: int) -> None:
        """Vervang een leeg wit teken door een lamp, als dat toegelaten is."""
        if not self._bestaat(rij, kolom) or self.rooster[rij][kolom] != WIT:
            raise AssertionError(MELDING)
        if self.stralen(rij, kolom) & self.lampen:
            raise AssertionError(MELDING)
        # probeer het gewoon, en draai het terug als een getal overschreden wordt
        self.rooster[rij][kolom] = LAMP
        if any(over < 0 for over in self._tekorten()):
            self.rooster[rij][kolom] = WIT
            raise AssertionError(MELDING)

    def verwijder_lamp(self, rij: int, kolom: int) -> None:
        """Vervang een lamp opnieuw door een leeg wit teken."""
        if not self._bestaat(rij, kolom) or self.rooster[rij][kolom] != LAMP:
            raise AssertionError(MELDING)
        self.rooster[rij][kolom] = WIT

    def isopgelost(self) -> bool:
        """Een puzzel is opgelost als er geen lege cel en geen tekort meer is."""
        return WIT not in str(self) and not any(self._tekorten())

    def __str__(self) -> str:
        """Geef een afdruk van het rooster, met een sterretje in elke verlichte cel."""
        afdruk = [list(regel) for regel in self.rooster]
        for rij, kolom in self.verlicht():
            afdruk[rij][kolom] = "*"
        return "\n".join("".join(regel) for regel in afdruk)

    def _bestaat(self, rij: int, kolom: int) -> bool:
        """Ga na of een cel in het rooster ligt."""
        hoogte, breedte = len(self.rooster), len(self.rooster[0])
        return rij in range(hoogte) and kolom in range(breedte)

    def _cellen(self) -> Iterator[tuple[int, int, str]]:
        """Overloop het rooster, als rijnummer, kolomnummer en teken."""
        for rij, regel in enumerate(self.rooster):
            for kolom, teken in enumerate(regel):
                yield rij, kolom, teken

    def _tekorten(self) -> Iterator[int]:
        """Geef per getal hoeveel lampen er nog bij moeten: negatief bij een teveel."""
        for rij, kolom, teken in self._cellen():
            if teken.isdigit():
                yield int(teken) - self._omringend(rij, kolom)

    def _omringend(self, rij: int, kolom: int) -> int:
        """Tel de lampen boven, onder, links en rechts van een cel."""
        buren = [(rij - 1, kolom), (rij + 1, kolom), (rij, kolom - 1), (rij, kolom + 1)]
        return sum(self._bestaat(r, k) and self.rooster[r][k] == LAMP for r, k in buren)


def zichtbaar(lijn: list[str], plaats: int) -> set[int]:
    """Geef de indexen in een rij tekens die vanaf een plaats te zien zijn."""
    links = plaats
    while links > 0 and lijn[links - 1] in (WIT, LAMP):
        links -= 1
    rechts = plaats
    while rechts < len(lijn) - 1 and lijn[rechts + 1] in (WIT, LAMP):
        rechts += 1
    return set(range(links, rechts + 1)) - {plaats}
