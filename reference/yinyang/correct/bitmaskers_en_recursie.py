"""Elke kleur is één groot geheel getal van bits en gebieden groeien recursief."""

from collections.abc import Iterable
from typing import NoReturn

Positie = tuple[int, int]


def weiger(boodschap: str) -> NoReturn:
    """Werp een AssertionError op."""
    raise AssertionError(boodschap)


def groei(gebied: int, kleur: int, breedte: int) -> int:
    """Breid een gebied uit binnen een kleur, tot het niet meer groter wordt."""
    groter = gebied | gebied << 1 | gebied >> 1
    groter |= gebied << breedte | gebied >> breedte
    groter &= kleur
    return gebied if groter == gebied else groei(groter, kleur, breedte)


def heeft_vierkant(kleur: int, breedte: int) -> bool:
    """Ga na of een kleur ergens vier vakjes in een vierkant heeft."""
    naast_elkaar = kleur & kleur >> 1
    return naast_elkaar & naast_elkaar >> breedte != 0


class YinYang:
    """Een puzzel als drie getallen: bit (r * breedte + k) is het vakje (r, k).

    De breedte is één groter dan de dimensie. Die extra kolom blijft altijd leeg,
    zodat een verschuiving nooit van de ene rij in de andere terechtkomt.
    """

    def __init__(
        self,
        dimensie: int,
        wit: Iterable[Positie],
        zwart: Iterable[Positie],
    ) -> None:
        """Zet alle vakjes van de opgave om naar bits en controleer pas daarna."""
        self._n = dimensie
        self._breedte = dimensie + 1
        self._wit = self._bits(wit)
        self._zwart = self._bits(zwart)
        self._opgave = self._wit | self._zwart
        if self._wit & self._zwart or self._fout():
            weiger("ongeldige puzzel")

    def _bits(self, posities: Iterable[Positie]) -> int:
        """Zet de posities van de opgave om naar één getal."""
        getal = 0
        for positie in posities:
            getal |= self._bit(positie) or weiger("ongeldige puzzel")
        return getal

    def _bit(self, positie: Positie) -> int:
        """Geef de bit van een positie, of 0 als die buiten het rooster ligt."""
        match positie:
            case (r, k) if r in range(self._n) and k in range(self._n):
                return 1 << r * self._breedte + k
            case _:
                return 0

    def _fout(self) -> bool:
        """Ga na of er ergens een vierkant met één kleur staat."""
        return any(heeft_vierkant(x, self._breedte) for x in (self._wit, self._zwart))

    def _bewaar(self, wit: int, zwart: int) -> "YinYang":
        """Neem nieuwe kleuren aan, of hou de oude als er een vierkant zou ontstaan."""
        oud = self._wit, self._zwart
        self._wit, self._zwart = wit, zwart
        if self._fout():
            self._wit, self._zwart = oud
            weiger("ongeldige actie")
        return self

    def _vrij(self, positie: Positie) -> int:
        """Geef de bit van een leeg vakje, en weiger elk ander vakje."""
        bit = self._bit(positie) & ~(self._wit | self._zwart)
        return bit or weiger("ongeldige actie")

    def maak_wit(self, positie: Positie) -> "YinYang":
        """Maak een leeg vakje wit."""
        return self._bewaar(self._wit | self._vrij(positie), self._zwart)

    def maak_zwart(self, positie: Positie) -> "YinYang":
        """Maak een leeg vakje zwart."""
        return self._bewaar(self._wit, self._zwart | self._vrij(positie))

    def maak_leeg(self, positie: Positie) -> "YinYang":
        """Maak een ingevuld vakje terug leeg."""
        ingevuld = (self._wit | self._zwart) & ~self._opgave
        bit = self._bit(positie) & ingevuld or weiger("ongeldige actie")
        return self._bewaar(self._wit & ~bit, self._zwart & ~bit)

    def _gebied(self, zaad: int) -> int:
        """Laat een gebied groeien vanuit één bit."""
        kleur = self._wit if zaad & self._wit else self._zwart
        return groei(zaad & kleur, kleur, self._breedte)

    def aaneengesloten_gebied(self, positie: Positie) -> set[Positie]:
        """Geef de posities van alle bits in het gebied van een positie."""
        gebied = self._gebied(self._bit(positie))
        cijfers = enumerate(reversed(f"{gebied:b}"))
        return {divmod(plaats, self._breedte) for plaats, bit in cijfers if bit == "1"}

    def isopgelost(self) -> bool:
        """Ga na of elke bit gezet is en de eerste bit van elke kleur alles bereikt."""
        vol = (self._wit | self._zwart).bit_count() == self._n**2
        return vol and all(
            self._gebied(kleur & -kleur) == kleur for kleur in (self._wit, self._zwart)
        )

    def _karakter(self, bit: int) -> str:
        """Geef het karakter van één vakje."""
        letter = "w" if bit & self._wit else "b" if bit & self._zwart else "-"
        return letter.upper() if bit & self._opgave else letter

    def __str__(self) -> str:
        """Geef het rooster, rij per rij."""
        return "\n".join(
            "".join(self._karakter(self._bit((r, k))) for k in range(self._n))
            for r in range(self._n)
        )
