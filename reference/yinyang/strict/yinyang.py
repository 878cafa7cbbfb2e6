# Gaat verder waar yinyang.py eindigt: welke aanroepen de tekst belooft. Van een rooster met een enkel
# vakje zegt hij niet wanneer het opgelost is.


class OutsideText(BaseException):
    """Een aanroep waarover de tekst niets zegt."""


def beloofd(klopt, wat):
    """Onderbreek de scène als iets niet klopt."""
    if not klopt:
        raise OutsideText(wat)


def is_positie(waarde):
    """Ga na of een waarde een tuple van twee gehele getallen is."""
    return type(waarde) is tuple and [int, int] == [*map(type, waarde)]


def met_belofte(methode, belofte):
    """Geef de methode die eerst de belofte over haar argumenten nagaat."""

    def nagegaan(*argumenten, **genoemd):
        belofte(*argumenten, **genoemd)
        return methode(*argumenten, **genoemd)

    return nagegaan


def opgave_beloofd(_, dimensie, wit, zwart):
    beloofd(type(dimensie) is int and dimensie > 0, f"{dimensie!r} is geen dimensie")
    for vakjes in (wit, zwart):
        beloofd(type(vakjes) in {list, tuple, set}, f"{vakjes!r} is geen collectie")
        beloofd(all(map(is_positie, vakjes)), f"niet enkel posities in {vakjes}")
        beloofd(len({*vakjes}) == len(vakjes), f"twee keer dezelfde positie in {vakjes}")


def positie_beloofd(_, positie):
    beloofd(is_positie(positie), f"{positie!r} is geen positie")


def oplossing_beloofd(puzzel):
    beloofd(str(puzzel).strip() not in {*"-WwBb"}, "een rooster met een enkel vakje")


YinYang.__init__ = met_belofte(YinYang.__init__, opgave_beloofd)
YinYang.isopgelost = met_belofte(YinYang.isopgelost, oplossing_beloofd)
for _methode in ("maak_wit", "maak_zwart", "maak_leeg", "aaneengesloten_gebied"):
    setattr(YinYang, _methode, met_belofte(getattr(YinYang, _methode), positie_beloofd))
