"""Er wordt een ValueError opgeworpen in plaats van een AssertionError."""
# verliest: YinYang, maak_wit, maak_zwart, maak_leeg

from collections import deque

Pos = tuple[int, int]


def omgeving(positie: Pos) -> list[Pos]:
    """ vier buren van een positie """
    r, k = positie
    return [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]


class YinYang:

    def __init__(self, dimensie: int, wit, zwart):
        self.dimensie = dimensie
        self.rooster: dict[Pos, str] = {
            (r, k): '-' for r in range(dimensie) for k in range(dimensie)
        }
        for positie in wit:
            if self.rooster.get(positie) != '-' or self._blok(positie, 'w'):
                raise ValueError('ongeldige puzzel')
            self.rooster[positie] = 'W'
        for positie in zwart:
            if self.rooster.get(positie) != '-' or self._blok(positie, 'b'):
                raise ValueError('ongeldige puzzel')
            self.rooster[positie] = 'B'

    def _kleur(self, positie: Pos) -> str:
        return self.rooster.get(positie, '-').lower()

    def _blok(self, positie: Pos, kleur: str) -> bool:
        """ zou er een 2x2 blok ontstaan als we positie deze kleur geven? """
        r, k = positie
        for boven in (r - 1, r):
            for links in (k - 1, k):
                blok = {(boven, links), (boven, links + 1), (boven + 1, links), (boven + 1, links + 1)}
                blok.remove(positie)
                if all(self._kleur(ander) == kleur for ander in blok):
                    return True
        return False

    def _zet(self, positie: Pos, kleur: str) -> 'YinYang':
        if self.rooster.get(positie) != '-' or self._blok(positie, kleur):
            raise ValueError('ongeldige actie')
        self.rooster[positie] = kleur
        return self

    def maak_wit(self, positie: Pos) -> 'YinYang':
        return self._zet(positie, 'w')

    def maak_zwart(self, positie: Pos) -> 'YinYang':
        return self._zet(positie, 'b')

    def maak_leeg(self, positie: Pos) -> 'YinYang':
        if self.rooster.get(positie) not in ('w', 'b'):
            raise ValueError('ongeldige actie')
        self.rooster[positie] = '-'
        return self

    def aaneengesloten_gebied(self, positie: Pos) -> set[Pos]:
        kleur = self._kleur(positie)
        if kleur == '-':
            return set()
        gebied = {positie}
        rij = deque([positie])
        while rij:
            for buur in omgeving(rij.popleft()):
                if self._kleur(buur) == kleur and buur not in gebied:
                    gebied.add(buur)
                    rij.append(buur)
        return gebied

    def isopgelost(self) -> bool:
        over = set(self.rooster)
        aantal = {'w': 0, 'b': 0, '-': 0}
        # haal telkens een heel gebied weg en tel de gebieden per kleur
        while over:
            positie = over.pop()
            aantal[self._kleur(positie)] += 1
            over -= self.aaneengesloten_gebied(positie)
        return aantal['w'] <= 1 and aantal['b'] <= 1 and aantal['-'] == 0

    def __str__(self) -> str:
        regels = ['' for _ in range(self.dimensie)]
        for (r, k), teken in self.rooster.items():
            regels[r] += teken
        return '\n'.join(regels)
