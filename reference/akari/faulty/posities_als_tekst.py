"""De rij- en kolomnummers uit het bestand worden niet omgezet naar int."""
# verliest: zwarte_cellen, lampen, verlicht, str, stralen, plaats_lamp, verwijder_lamp, isopgelost

from itertools import product


class Akari:
    """ Akaripuzzel

    rij, kol: afmetingen van het rooster
    pad: locatie van het bestand met de zwarte cellen
    """

    def __init__(self, rij: int, kol: int, pad: str):
        self.rij, self.kol = rij, kol
        with open(pad) as f:
            delen = [l.split() for l in f if l.split()]
        self.zwarte_cellen = {(a, b): c for a, b, c in delen}
        self.witte_cellen = {p for p in product(range(rij), range(kol)) if p not in self.zwarte_cellen}
        self.lampen = set()

    def lampen_rond(self, p):
        r, k = p
        return sum(q in self.lampen for q in ((r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)))

    def stralen(self, r: int, k: int) -> set:
        s = set()
        for dr, dk in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            i = 1
            while (r + i * dr, k + i * dk) in self.witte_cellen:
                s.add((r + i * dr, k + i * dk))
                i += 1
        return s

    def verlicht(self) -> set:
        return set().union(*[self.stralen(r, k) for r, k in self.lampen])

    def plaats_lamp(self, r: int, k: int) -> None:
        vrij = self.witte_cellen - self.lampen - self.verlicht()
        assert (r, k) in vrij, "ongeldige positie"
        for p in ((r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)):
            m = self.zwarte_cellen.get(p, '?')
            assert m == '?' or self.lampen_rond(p) < int(m), "ongeldige positie"
        self.lampen.add((r, k))

    def verwijder_lamp(self, r: int, k: int) -> None:
        assert (r, k) in self.lampen, "ongeldige positie"
        self.lampen -= {(r, k)}

    def isopgelost(self) -> bool:
        licht = self.verlicht() | self.lampen == self.witte_cellen
        getallen = all(m == '?' or self.lampen_rond(p) == int(m) for p, m in self.zwarte_cellen.items())
        return licht and getallen

    def __str__(self) -> str:
        v = self.verlicht()
        rooster = [['_'] * self.kol for _ in range(self.rij)]
        for r, k in v:
            rooster[r][k] = '*'
        for r, k in self.lampen:
            rooster[r][k] = 'L'
        for (r, k), m in self.zwarte_cellen.items():
            rooster[int(r)][int(k)] = m
        return '\n'.join(''.join(x) for x in rooster)
