"""Akari: een Japanse puzzel waarin lampen een rechthoekig rooster verlichten."""

from collections.abc import Iterable
from itertools import product

Positie = tuple[int, int]

LAMP = "L"
VERLICHT = "*"
ONVERLICHT = "_"
ONGEMARKEERD = "?"

# boven, rechts, onder, links: telkens (verandering van rij, verandering van kolom)
RICHTINGEN = ((-1, 0), (0, 1), (1, 0), (0, -1))


def lees_zwarte_cellen(regels: Iterable[str]) -> dict[Positie, str]:
    """Zet regels van de vorm `rij kolom markering` om naar een dictionary.

    De dictionary beeldt de positie van elke zwarte cel af op haar markering.
    Lege regels tellen niet mee.
    """
    zwarte_cellen = {}
    for regel in regels:
        if regel.strip():
            rij, kolom, markering = regel.split()
            zwarte_cellen[int(rij), int(kolom)] = markering
    return zwarte_cellen


class Akari:
    """Rooster van een akaripuzzel, met de lampen die er al in geplaatst zijn.

    Eigenschappen:

    - `zwarte_cellen`: beeldt posities van zwarte cellen af op hun markering
    - `lampen`: verzameling met de posities van de geplaatste lampen

    Twee lampen schijnen nooit op elkaar en nergens staan er te veel lampen rond
    een zwarte cel met een getal: `plaats_lamp` bewaakt dat.
    """

    def __init__(self, rijen: int, kolommen: int, bestandsnaam: str) -> None:
        """Maak een puzzel zonder lampen; lees de zwarte cellen uit het bestand."""
        self.rijen = rijen
        self.kolommen = kolommen
        with open(bestandsnaam, encoding="utf-8") as bestand:
            self.zwarte_cellen = lees_zwarte_cellen(bestand)
        self.lampen: set[Positie] = set()

    def verlicht(self) -> set[Positie]:
        """Geef de posities van alle cellen die door minstens één lamp verlicht worden.

        De lampen zelf staan daar niet bij, want een lamp verlicht haar eigen cel niet.
        """
        return {cel for lamp in self.lampen for cel in self.stralen(*lamp)}

    def stralen(self, r: int, k: int) -> set[Positie]:
        """Geef de posities van alle cellen waarop een lamp in cel (r, k) zou schijnen.

        Dat werkt ook voor een zwarte cel. De cel (r, k) zelf hoort er niet bij.
        """
        cellen = set()
        for dr, dk in RICHTINGEN:
            cel = (r + dr, k + dk)
            while self._iswit(cel):
                cellen.add(cel)
                cel = (cel[0] + dr, cel[1] + dk)
        return cellen

    def plaats_lamp(self, r: int, k: int) -> None:
        """Plaats een lamp in cel (r, k).

        Dat mag enkel in een witte cel zonder lamp, die niet door een andere lamp
        verlicht wordt, en die naast geen enkele zwarte cel ligt die al haar lampen
        heeft. Anders volgt een AssertionError en verandert er niets.
        """
        assert self._mag_lamp((r, k)), "ongeldige positie"
        self.lampen.add((r, k))

    def verwijder_lamp(self, r: int, k: int) -> None:
        """Verwijder de lamp uit cel (r, k); zonder lamp volgt een AssertionError."""
        assert (r, k) in self.lampen, "ongeldige positie"
        self.lampen.remove((r, k))

    def isopgelost(self) -> bool:
        """Ga na of het hele rooster verlicht is en alle getallen kloppen."""
        return self._volledig_verlicht() and self._getallen_kloppen()

    def __str__(self) -> str:
        """Geef het rooster, met één regel per rij en één teken per cel."""
        verlicht = self.verlicht()
        return "\n".join(
            "".join(self._teken((r, k), verlicht) for k in range(self.kolommen))
            for r in range(self.rijen)
        )

    def _iswit(self, cel: Positie) -> bool:
        """Ga na of de cel binnen het rooster ligt en niet zwart is."""
        r, k = cel
        in_rooster = 0 <= r < self.rijen and 0 <= k < self.kolommen
        return in_rooster and cel not in self.zwarte_cellen

    def _mag_lamp(self, cel: Positie) -> bool:
        """Ga na of er een lamp in de cel geplaatst mag worden."""
        return (
            self._iswit(cel)
            and cel not in self.lampen
            and cel not in self.verlicht()
            and not any(self._isverzadigd(buur) for buur in self._buren(cel))
        )

    def _isverzadigd(self, cel: Positie) -> bool:
        """Ga na of de cel zwart is en een getal draagt waarvan alle lampen er staan."""
        # een witte cel wordt behandeld zoals een zwarte cel zonder getal
        markering = self.zwarte_cellen.get(cel, ONGEMARKEERD)
        return markering != ONGEMARKEERD and self._lampen_rond(cel) >= int(markering)

    def _volledig_verlicht(self) -> bool:
        """Ga na of elke witte cel een lamp bevat of door een lamp verlicht wordt."""
        cellen = product(range(self.rijen), range(self.kolommen))
        witte_cellen = set(cellen) - self.zwarte_cellen.keys()
        return witte_cellen == self.lampen | self.verlicht()

    def _getallen_kloppen(self) -> bool:
        """Ga na of er rond elke zwarte cel met een getal evenveel lampen staan."""
        return all(
            self._lampen_rond(cel) == int(markering)
            for cel, markering in self.zwarte_cellen.items()
            if markering != ONGEMARKEERD
        )

    def _lampen_rond(self, cel: Positie) -> int:
        """Tel de lampen die horizontaal of verticaal naast de cel staan."""
        return len(self._buren(cel) & self.lampen)

    def _buren(self, cel: Positie) -> set[Positie]:
        """Geef de vier posities rond de cel, ook als ze buiten het rooster vallen."""
        r, k = cel
        return {(r + dr, k + dk) for dr, dk in RICHTINGEN}

    def _teken(self, cel: Positie, verlicht: set[Positie]) -> str:
        """Geef het teken dat de cel voorstelt in het rooster."""
        if cel in self.zwarte_cellen:
            return self.zwarte_cellen[cel]
        if cel in self.lampen:
            return LAMP
        return VERLICHT if cel in verlicht else ONVERLICHT
