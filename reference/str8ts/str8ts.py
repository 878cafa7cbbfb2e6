"""Voorstellen en invullen van het rooster van een str8ts puzzel."""

# De plaats van een symbool in zijn reeks is het cijfer dat in de cel staat;
# op plaats nul staat het symbool van een cel zonder cijfer.
WITTE_SYMBOLEN = ".123456789"
ZWARTE_SYMBOLEN = "#ABCDEFGHI"

# Een tuple en geen string: "" en "AB" zitten wel in de string "#ABC", maar niet
# in de tuple ("#", "A", "B", "C").
SYMBOLEN = tuple(WITTE_SYMBOLEN + ZWARTE_SYMBOLEN)

ONGELDIG_SYMBOOL = "ongeldig symbool"
ONGELDIGE_VULLING = "ongeldige vulling"

Positie = tuple[int, int]


class Cel:
    """Een cel uit het rooster: wit of zwart, met of zonder cijfer.

    Een cel verandert nooit. Wie een cijfer invult, zet een nieuwe cel op de
    plaats van de oude.
    """

    def __init__(self, symbool: str) -> None:
        """Maak de cel die door het gegeven symbool gecodeerd wordt."""
        if symbool not in SYMBOLEN:
            raise AssertionError(ONGELDIG_SYMBOOL)
        self._symbool = symbool

    def __str__(self) -> str:
        """Geef het symbool dat de cel codeert."""
        return self._symbool

    def isgekleurd(self) -> bool:
        """Geef aan of de cel zwart gekleurd is."""
        return self._symbool in ZWARTE_SYMBOLEN

    def cijfer(self) -> int | None:
        """Geef het cijfer uit de cel, of None als er geen cijfer in staat."""
        symbolen = ZWARTE_SYMBOLEN if self.isgekleurd() else WITTE_SYMBOLEN
        return symbolen.index(self._symbool) or None


def isstraat(n: int) -> bool:
    """Geef aan of de cijfers van n, op volgorde gezet, op elkaar volgen.

    Gesorteerd vormen de cijfers van een straat een stuk van 123456789. Een nul
    of een dubbel cijfer komt in geen enkel stuk voor.
    """
    return "".join(sorted(str(n))) in "123456789"


def getallen(cellen: list[Cel]) -> dict[int, str]:
    """Beeld de plaats van de eerste cel van elk getal af op zijn patroon.

    De cellen zijn die van een volledige rij of kolom. Een getal is een zo lang
    mogelijke reeks witte cellen, ook als die reeks maar uit 1 cel bestaat.
    """
    patronen: dict[int, str] = {}
    begin = 0
    for plaats, cel in enumerate(cellen):
        if cel.isgekleurd():
            begin = plaats + 1  # het volgende getal begint ten vroegste hierna
        else:
            patronen[begin] = patronen.get(begin, "") + str(cel)
    return patronen


def cijfers(cellen: list[Cel]) -> set[int]:
    """Verzamel de cijfers uit de gegeven cellen, zowel de witte als de zwarte."""
    return {cijfer for cel in cellen if (cijfer := cel.cijfer()) is not None}


class Str8ts:
    """Het rooster van een str8ts puzzel, dat stap voor stap ingevuld wordt."""

    def __init__(self, locatie: str) -> None:
        """Lees het rooster uit het tekstbestand op de gegeven locatie."""
        with open(locatie, encoding="utf-8") as bestand:
            # split() slaat lege regels over, en ook een ontbrekend laatste
            # regeleinde maakt geen verschil
            regels = bestand.read().split()
        self._rooster = [[Cel(symbool) for symbool in regel] for regel in regels]

    def __str__(self) -> str:
        """Geef het rooster in dezelfde vorm als in het tekstbestand."""
        return "\n".join("".join(map(str, rij)) for rij in self._rooster)

    def horizontaal_getallen(self, r: int) -> dict[int, str]:
        """Beeld de eerste kolom van elk getal op rij r af op zijn patroon."""
        return getallen(self._rij(r))

    def verticaal_getallen(self, k: int) -> dict[int, str]:
        """Beeld de eerste rij van elk getal in kolom k af op zijn patroon."""
        return getallen(self._kolom(k))

    def horizontaal_cijfers(self, r: int) -> set[int]:
        """Geef alle cijfers die al op rij r staan."""
        return cijfers(self._rij(r))

    def verticaal_cijfers(self, k: int) -> set[int]:
        """Geef alle cijfers die al in kolom k staan."""
        return cijfers(self._kolom(k))

    def horizontaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vul het getal n van links naar rechts in vanaf positie (r, k)."""
        lengte = len(self.horizontaal_getallen(r).get(k, ""))
        self._invullen([(r, k + i) for i in range(lengte)], n)

    def verticaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vul het getal n van boven naar onder in vanaf positie (r, k)."""
        lengte = len(self.verticaal_getallen(k).get(r, ""))
        self._invullen([(r + i, k) for i in range(lengte)], n)

    def _rij(self, r: int) -> list[Cel]:
        """Geef de cellen van rij r, van links naar rechts."""
        return self._rooster[r]

    def _kolom(self, k: int) -> list[Cel]:
        """Geef de cellen van kolom k, van boven naar onder."""
        return [rij[k] for rij in self._rooster]

    def _invullen(self, posities: list[Positie], n: int) -> None:
        """Vul de cijfers van n in op de gegeven posities, of weiger alles.

        Een lege lijst posities betekent dat er geen getal begint waar n moet
        komen. Omdat elke n minstens 1 cijfer heeft, past dan geen enkele n.
        """
        if not (isstraat(n) and self._past(posities, n)):
            raise AssertionError(ONGELDIGE_VULLING)
        # pas nu alles gecontroleerd is, mag het rooster veranderen
        for (r, k), cijfer in zip(posities, str(n), strict=True):
            self._rooster[r][k] = Cel(cijfer)

    def _past(self, posities: list[Positie], n: int) -> bool:
        """Geef aan of elk cijfer van n op zijn positie mag staan."""
        tekst = str(n)
        return len(tekst) == len(posities) and all(
            self._mag_staan(r, k, int(cijfer))
            for (r, k), cijfer in zip(posities, tekst, strict=True)
        )

    def _mag_staan(self, r: int, k: int, cijfer: int) -> bool:
        """Geef aan of het cijfer op positie (r, k) staat of er nog bij kan."""
        aanwezig = self._rooster[r][k].cijfer()
        if aanwezig is not None:
            return aanwezig == cijfer
        return cijfer not in self.horizontaal_cijfers(r) | self.verticaal_cijfers(k)
