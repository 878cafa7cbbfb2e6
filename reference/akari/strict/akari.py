# Gaat verder waar akari.py eindigt: welke aanroepen de tekst belooft. Elke regel van een bestand is een
# zwarte cel binnen het rooster, en geen twee regels zijn dezelfde cel.


class OutsideText(BaseException):
    """Een aanroep waarover de tekst niets zegt."""


def beloofd(klopt, wat):
    """Onderbreek de scène als iets niet klopt."""
    if not klopt:
        raise OutsideText(wat)


def is_natuurlijk(*waarden):
    """Ga na of de waarden natuurlijke getallen zijn."""
    return all(type(waarde) is int and waarde >= 0 for waarde in waarden)


def met_belofte(methode, belofte):
    """Geef de methode die eerst de belofte over haar argumenten nagaat."""

    def nagegaan(*argumenten):
        belofte(*argumenten)
        return methode(*argumenten)

    return nagegaan


def rooster_beloofd(_, rijen, kolommen, locatie):
    beloofd(is_natuurlijk(rijen, kolommen) and rijen * kolommen, f"geen {rijen!r} bij {kolommen!r}")
    beloofd(type(locatie) is str, f"{locatie!r} is geen locatie")
    cellen = set()
    with open(locatie, encoding="utf-8") as bestand:
        regels = bestand.read().removesuffix("\n")
    for regel in regels.split("\n") if regels else []:
        r, k, markering = regel.split(" ")
        cel = int(r), int(k)
        beloofd(f"{cel[0]} {cel[1]}" == f"{r} {k}" and markering in {*"01234?"}, f"regel {regel!r}")
        beloofd(0 <= cel[0] < rijen and 0 <= cel[1] < kolommen, f"{regel!r} ligt buiten het rooster")
        beloofd(cel not in cellen, f"{regel!r} is een cel die er al was")
        cellen.add(cel)


def positie_beloofd(_, r, k):
    beloofd(is_natuurlijk(r, k), f"({r!r}, {k!r}) is geen positie")


def binnen_beloofd(puzzel, r, k):
    positie_beloofd(puzzel, r, k)
    beloofd(r < puzzel.rijen and k < puzzel.kolommen, f"({r}, {k}) ligt buiten het rooster")


Akari.__init__ = met_belofte(Akari.__init__, rooster_beloofd)
Akari.stralen = met_belofte(Akari.stralen, binnen_beloofd)
Akari.plaats_lamp = met_belofte(Akari.plaats_lamp, positie_beloofd)
Akari.verwijder_lamp = met_belofte(Akari.verwijder_lamp, positie_beloofd)
