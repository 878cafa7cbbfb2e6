"""Er wordt niet nagekeken of er wel een lamp staat voor ze verwijderd wordt."""
# verliest: verwijder_lamp

from itertools import product


class Akari:
    """ Akaripuzzel

    rij, kol: afmetingen van het rooster
    pad: locatie van het bestand met de zwarte cellen
    """

    def __init__(self, hoogte: int, breedte: int, pad: str):
        self.hoogte, self.breedte = hoogte, breedte
        with open(pad) as f:
            regels = [l.split() for l in f if l.split()]
        self.zwarte_cellen = {(int(a), int(b)): c for a, b, c in regels}
        self.witte_cellen = {p for p in product(range(hoogte), range(breedte)) if p not in self.zwarte_cellen}
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
        self.lampen -= {(r, k)}

    def isopgelost(self) -> bool:
        licht = self.verlicht() | self.lampen == self.witte_cellen
        getallen = all(m == '?' or self.lampen_rond(p) == int(m) for p, m in self.zwarte_cellen.items())
        return licht and getallen

    def __str__(self) -> str:
        v = self.verlicht()
        rooster = [['_'] * self.breedte for _ in range(self.hoogte)]
        for r, k in v:
            rooster[r][k] = '*'
        for r, k in self.lampen:
            rooster[r][k] = 'L'
        for (r, k), m in self.zwarte_cellen.items():
            rooster[r][k] = m
        return '\n'.join(''.join(x) for x in rooster)
