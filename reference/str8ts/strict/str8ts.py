# Gaat verder waar str8ts.py eindigt: welke aanroepen de tekst belooft. Een rooster telt negen rijen
# van negen symbolen, en geen rij of kolom heeft twee keer hetzelfde cijfer.


class OutsideText(BaseException):
    """Een aanroep waarover de tekst niets zegt."""


def beloofd(klopt, wat):
    """Onderbreek de scène als iets niet klopt."""
    if not klopt:
        raise OutsideText(wat)


def is_getal(waarde, eerste=0, laatste=10**30):
    """Ga na of een waarde een geheel getal is, van het eerste tot en met het laatste."""
    return type(waarde) is int and eerste <= waarde <= laatste


def met_belofte(functie, belofte):
    """Geef de functie die eerst de belofte over haar argumenten nagaat."""

    def nagegaan(*argumenten):
        belofte(*argumenten)
        return functie(*argumenten)

    return nagegaan


def symbool_beloofd(_, symbool):
    beloofd(type(symbool) is str, f"{symbool!r} is geen tekst")


def bestand_beloofd(_, locatie):
    beloofd(type(locatie) is str, f"{locatie!r} is geen locatie")
    with open(locatie, encoding="utf-8") as bestand:
        rijen = bestand.read().removesuffix("\n").split("\n")
    beloofd([9] * 9 == [*map(len, rijen)], "het rooster telt geen negen rijen van negen cellen")
    symbolen = {*"".join(rijen)}
    beloofd(symbolen <= {*SYMBOLEN}, f"geen symbolen: {symbolen - {*SYMBOLEN}}")
    for lijn in (*rijen, *zip(*rijen, strict=True)):
        gegeven = [symbool for symbool in map(Cel, lijn) if symbool.cijfer() is not None]
        geteld = [cel.cijfer() for cel in gegeven]
        beloofd(len({*geteld}) == len(geteld), f"een cijfer staat twee keer in {''.join(lijn)}")


def lijn_beloofd(_, nummer):
    beloofd(is_getal(nummer, 0, 8), f"{nummer!r} is geen nummer van een rij of een kolom")


def vulling_beloofd(_, r, k, n):
    beloofd(is_getal(r, 0, 8) and is_getal(k, 0, 8), f"({r!r}, {k!r}) ligt buiten het rooster")
    beloofd(is_getal(n), f"{n!r} is geen getal")


Cel.__init__ = met_belofte(Cel.__init__, symbool_beloofd)
isstraat = met_belofte(isstraat, lambda n: beloofd(is_getal(n), f"{n!r} is geen getal"))
Str8ts.__init__ = met_belofte(Str8ts.__init__, bestand_beloofd)
for _naam in ("getallen", "cijfers", "invullen"):
    for _richting in ("horizontaal", "verticaal"):
        _methode = f"{_richting}_{_naam}"
        _belofte = vulling_beloofd if _naam == "invullen" else lijn_beloofd
        setattr(Str8ts, _methode, met_belofte(getattr(Str8ts, _methode), _belofte))
