"""Ongewoon: kleuren en cijfers in twee platte bytereeksen, rekenwerk met bitmaskers."""

from collections.abc import Iterator

ZIJDE = 9
HEKJE, PUNT, NUL, LETTER_A = map(ord, "#.0A")


def codeer(kleur: int, waarde: int) -> int:
    """Geef de ASCII-code van het symbool voor een kleur (0 of 1) en een waarde."""
    if waarde == 0:
        return HEKJE if kleur else PUNT
    return waarde + (LETTER_A - 1 if kleur else NUL)


# van symbool naar (kleur, waarde), waarbij waarde 0 een lege cel betekent
DECODEER = {
    chr(codeer(kleur, waarde)): (kleur, waarde) for kleur in range(2) for waarde in range(ZIJDE + 1)
}


def eis(*, voorwaarde: bool, boodschap: str) -> None:
    """Werp een AssertionError op als niet aan de voorwaarde voldaan is."""
    if not voorwaarde:
        raise AssertionError(boodschap)


def bits(getal: int) -> list[int]:
    """Geef per cijfer van het getal een masker met 1 bit, van links naar rechts."""
    maskers: list[int] = []
    while getal > 0:
        getal, cijfer = divmod(getal, 10)
        maskers.insert(0, 1 << cijfer)
    return maskers


def isstraat(n: int) -> bool:
    """Ga na of de bits van de cijfers van n een ononderbroken blok vormen."""
    maskers = bits(n)
    masker = sum(set(maskers))
    laagste = masker & -masker
    aaneen = (masker + laagste) & masker == 0
    return laagste > 1 and aaneen and masker.bit_count() == len(maskers)


class Cel:
    """Een cel die alleen een kleur (0 of 1) en een waarde (0 tot en met 9) onthoudt."""

    def __init__(self, symbool: str) -> None:
        """Ontleed het symbool."""
        # in een tuple zoeken lukt ook met een argument dat geen sleutel kan zijn
        eis(voorwaarde=symbool in tuple(DECODEER), boodschap="ongeldig symbool")
        self.kleur, self.waarde = DECODEER[symbool]

    def __str__(self) -> str:
        """Bouw het symbool weer op."""
        return chr(codeer(self.kleur, self.waarde))

    def isgekleurd(self) -> bool:
        """Vertaal de kleur naar een bool."""
        return self.kleur == 1

    def cijfer(self) -> int | None:
        """Vertaal de waarde, met None in plaats van 0."""
        return self.waarde or None


class Str8ts:
    """Cel (r, k) staat in beide bytereeksen op plaats 9r + k.

    Een rij of kolom is een `range` van plaatsen: stap 1 is een rij, stap 9 een
    kolom. Alle methoden werken op zulke ranges en kennen dus geen richting.
    """

    def __init__(self, locatie: str) -> None:
        """Lees alle symbolen achter elkaar, wat er ook tussen de regels staat."""
        with open(locatie, encoding="utf-8") as bestand:
            cellen = [Cel(symbool) for symbool in "".join(bestand.read().split())]
        self.kleuren = bytearray(cel.kleur for cel in cellen)
        self.waarden = bytearray(cel.waarde for cel in cellen)

    def __str__(self) -> str:
        """Codeer beide reeksen samen en knip ze in regels van 9."""
        codes = bytes(map(codeer, self.kleuren, self.waarden))
        regels = [codes[i : i + ZIJDE] for i in range(0, len(codes), ZIJDE)]
        return b"\n".join(regels).decode("ascii")

    def horizontaal_getallen(self, r: int) -> dict[int, str]:
        """Geef per beginkolom het patroon op rij r."""
        return self.patronen(self.rij(r))

    def verticaal_getallen(self, k: int) -> dict[int, str]:
        """Geef per beginrij het patroon in kolom k."""
        return self.patronen(self.kolom(k))

    def horizontaal_cijfers(self, r: int) -> set[int]:
        """Geef de cijfers op rij r."""
        return {self.waarden[plaats] for plaats in self.rij(r)} - {0}

    def verticaal_cijfers(self, k: int) -> set[int]:
        """Geef de cijfers in kolom k."""
        return {self.waarden[plaats] for plaats in self.kolom(k)} - {0}

    def horizontaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vul n naar rechts in, als dat mag."""
        self.vul(self.rij(r), k, n)

    def verticaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vul n naar onder in, als dat mag."""
        self.vul(self.kolom(k), r, n)

    def rij(self, r: int) -> range:
        """Geef de plaatsen van rij r, of geen enkele als die rij niet bestaat."""
        return range(ZIJDE * r, ZIJDE * (r + 1)) if 0 <= r < ZIJDE else range(0)

    def kolom(self, k: int) -> range:
        """Geef de plaatsen van kolom k, of geen enkele als die kolom niet bestaat."""
        return range(k, ZIJDE * ZIJDE, ZIJDE) if 0 <= k < ZIJDE else range(0)

    def stukken(self, lijn: range) -> Iterator[tuple[int, range]]:
        """Knip een rij of kolom in getallen, elk met hun beginplaats in de lijn."""
        begin = 0
        for einde in range(len(lijn) + 1):
            if einde == len(lijn) or self.kleuren[lijn[einde]]:
                if begin < einde:
                    yield begin, lijn[begin:einde]
                begin = einde + 1

    def patronen(self, lijn: range) -> dict[int, str]:
        """Geef per begin het patroon van elk getal op de lijn."""
        return {
            begin: bytes(codeer(0, self.waarden[plaats]) for plaats in stuk).decode()
            for begin, stuk in self.stukken(lijn)
        }

    def vul(self, lijn: range, begin: int, n: int) -> None:
        """Vul n in op het getal dat op de gegeven plaats van de lijn begint."""
        stuk = dict(self.stukken(lijn)).get(begin, range(0))
        maskers = bits(n)
        mag = isstraat(n) and len(stuk) == len(maskers) and all(map(self.past, stuk, maskers))
        eis(voorwaarde=mag, boodschap="ongeldige vulling")
        for plaats, masker in zip(stuk, maskers, strict=True):
            self.waarden[plaats] = masker.bit_length() - 1

    def past(self, plaats: int, masker: int) -> bool:
        """Ga na of het cijfer van het masker op de plaats staat of er nog bij kan."""
        if self.waarden[plaats]:
            return masker == 1 << self.waarden[plaats]
        r, k = divmod(plaats, ZIJDE)
        bezet = self.horizontaal_cijfers(r) | self.verticaal_cijfers(k)
        return masker & sum(1 << cijfer for cijfer in bezet) == 0
