"""Yin-Yang: maak elk vakje van een vierkant rooster wit of zwart.

De puzzel bewaart het rooster als een lijst van rijen. Elk vakje is meteen het
karakter waarmee het getoond wordt: een hoofdletter voor een vakje uit de opgave,
een kleine letter voor een vakje dat achteraf ingekleurd werd.
"""

from collections.abc import Collection, Iterator
from typing import Self

Positie = tuple[int, int]

LEEG = "-"
WIT = "w"
ZWART = "b"

ONGELDIGE_PUZZEL = "ongeldige puzzel"
ONGELDIGE_ACTIE = "ongeldige actie"


def buren(positie: Positie) -> Iterator[Positie]:
    """Geef de vier posities die een zijde delen met de gegeven positie."""
    rij, kolom = positie
    yield rij - 1, kolom
    yield rij, kolom + 1
    yield rij + 1, kolom
    yield rij, kolom - 1


def vierkanten(positie: Positie) -> Iterator[set[Positie]]:
    """Geef de vier vierkanten van 2 op 2 waar de gegeven positie deel van is."""
    rij, kolom = positie
    for boven in (rij - 1, rij):
        for links in (kolom - 1, kolom):
            yield {(r, k) for r in (boven, boven + 1) for k in (links, links + 1)}


class YinYang:
    """Een Yin-Yang puzzel: de opgave en alles wat al ingekleurd werd."""

    def __init__(
        self,
        dimensie: int,
        wit: Collection[Positie],
        zwart: Collection[Positie],
    ) -> None:
        """Maak een puzzel met gegeven dimensie en gekleurde vakjes.

        De vakjes van de opgave worden één voor één gekleurd. Eén controle volstaat
        dan voor alle voorwaarden: een positie buiten het rooster, een positie die al
        een kleur heeft en een positie die een vierkant vervolledigt worden geweigerd.
        """
        self._dimensie = dimensie
        self._rooster = [[LEEG] * dimensie for _ in range(dimensie)]
        for posities, kleur in ((wit, WIT), (zwart, ZWART)):
            for positie in posities:
                if not self._mag_kleuren(positie, kleur):
                    raise AssertionError(ONGELDIGE_PUZZEL)
                self._zet(positie, kleur.upper())

    def __str__(self) -> str:
        """Geef het rooster met één regel per rij en één karakter per vakje."""
        return "\n".join("".join(rij) for rij in self._rooster)

    def maak_wit(self, positie: Positie) -> Self:
        """Maak een leeg vakje wit en geef de puzzel zelf terug."""
        return self._maak(positie, WIT)

    def maak_zwart(self, positie: Positie) -> Self:
        """Maak een leeg vakje zwart en geef de puzzel zelf terug."""
        return self._maak(positie, ZWART)

    def maak_leeg(self, positie: Positie) -> Self:
        """Maak een ingekleurd vakje terug leeg en geef de puzzel zelf terug."""
        # Enkel kleine letters kunnen weg: hoofdletters horen bij de opgave.
        if self._vakje(positie) not in (WIT, ZWART):
            raise AssertionError(ONGELDIGE_ACTIE)
        self._zet(positie, LEEG)
        return self

    def aaneengesloten_gebied(self, positie: Positie) -> set[Positie]:
        """Geef alle vakjes die via zijden en in dezelfde kleur verbonden zijn.

        Voor een leeg vakje en voor een positie buiten het rooster is dat niets.
        """
        kleur = self._kleur(positie)
        if kleur == LEEG:
            return set()
        gebied = {positie}
        te_onderzoeken = {positie}
        while te_onderzoeken:
            for buur in buren(te_onderzoeken.pop()):
                if buur not in gebied and self._kleur(buur) == kleur:
                    gebied.add(buur)
                    te_onderzoeken.add(buur)
        return gebied

    def isopgelost(self) -> bool:
        """Ga na of elk vakje gekleurd is en elke kleur één gebied vormt."""
        # Vierkanten moeten we hier niet meer zoeken: die werden altijd al geweigerd.
        if self._posities(LEEG):
            return False
        return self._hangt_samen(WIT) and self._hangt_samen(ZWART)

    def _hangt_samen(self, kleur: str) -> bool:
        """Ga na of alle vakjes met de gegeven kleur in hetzelfde gebied liggen."""
        # Van waar we vertrekken maakt niet uit: dat gebied bevat ze alle of niet.
        posities = self._posities(kleur)
        return not posities or self.aaneengesloten_gebied(min(posities)) == posities

    def _maak(self, positie: Positie, kleur: str) -> Self:
        """Kleur een leeg vakje en geef de puzzel zelf terug."""
        # Een assert zou niets meer controleren onder "python -O", deze if altijd.
        if not self._mag_kleuren(positie, kleur):
            raise AssertionError(ONGELDIGE_ACTIE)
        self._zet(positie, kleur)
        return self

    def _mag_kleuren(self, positie: Positie, kleur: str) -> bool:
        """Ga na of een vakje de gegeven kleur mag krijgen."""
        return (
            self._ligt_binnen(positie)
            and self._vakje(positie) == LEEG
            and not self._vormt_vierkant(positie, kleur)
        )

    def _vormt_vierkant(self, positie: Positie, kleur: str) -> bool:
        """Ga na of er een vierkant ontstaat als een vakje deze kleur krijgt."""
        return any(
            all(self._kleur(andere) == kleur for andere in vierkant - {positie})
            for vierkant in vierkanten(positie)
        )

    def _ligt_binnen(self, positie: Positie) -> bool:
        """Ga na of een positie binnen het rooster ligt."""
        # Zonder ondergrens zou een negatieve index vanaf het einde tellen.
        return all(0 <= coordinaat < self._dimensie for coordinaat in positie)

    def _posities(self, kleur: str) -> set[Positie]:
        """Geef de posities van alle vakjes met de gegeven kleur."""
        return {
            (r, k)
            for r, rij in enumerate(self._rooster)
            for k, vakje in enumerate(rij)
            if vakje.lower() == kleur
        }

    def _vakje(self, positie: Positie) -> str:
        """Geef het karakter van een vakje; buiten het rooster is alles leeg."""
        if not self._ligt_binnen(positie):
            return LEEG
        rij, kolom = positie
        return self._rooster[rij][kolom]

    def _kleur(self, positie: Positie) -> str:
        """Geef de kleur van een vakje, of die nu uit de opgave komt of niet."""
        return self._vakje(positie).lower()

    def _zet(self, positie: Positie, vakje: str) -> None:
        """Zet een karakter op een positie binnen het rooster."""
        rij, kolom = positie
        self._rooster[rij][kolom] = vakje
