"""Een vakje zonder buren van dezelfde kleur zit niet in zijn eigen gebied."""
# verliest: aaneengesloten_gebied, isopgelost

from collections import deque

Pos = tuple[int, int]


def omgeving(pos: Pos) -> list[Pos]:
    """ vier buren van een positie """
    r, k = pos
    return [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]


class YinYang:

    def __init__(self, dimensie: int, wit, zwart):
        self.dimensie = dimensie
        self.rooster: dict[Pos, str] = {
            (r, k): '-' for r in range(dimensie) for k in range(dimensie)
        }
        for pos in wit:
            if self.rooster.get(pos) != '-' or self._blok(pos, 'w'):
                raise AssertionError('ongeldige puzzel')
            self.rooster[pos] = 'W'
        for pos in zwart:
            if self.rooster.get(pos) != '-' or self._blok(pos, 'b'):
                raise AssertionError('ongeldige puzzel')
            self.rooster[pos] = 'B'

    def _kleur(self, pos: Pos) -> str:
        return self.rooster.get(pos, '-').lower()

    def _blok(self, pos: Pos, kleur: str) -> bool:
        """ zou er een 2x2 blok ontstaan als we pos deze kleur geven? """
        r, k = pos
        for boven in (r - 1, r):
            for links in (k - 1, k):
                blok = {(boven, links), (boven, links + 1), (boven + 1, links), (boven + 1, links + 1)}
                blok.remove(pos)
                if all(self._kleur(ander) == kleur for ander in blok):
                    return True
        return False

    def _zet(self, pos: Pos, kleur: str) -> 'YinYang':
        if self.rooster.get(pos) != '-' or self._blok(pos, kleur):
            raise AssertionError('ongeldige actie')
        self.rooster[pos] = kleur
        return self

    def maak_wit(self, pos: Pos) -> 'YinYang':
        return self._zet(pos, 'w')

    def maak_zwart(self, pos: Pos) -> 'YinYang':
        return self._zet(pos, 'b')

    def maak_leeg(self, pos: Pos) -> 'YinYang':
        if self.rooster.get(pos) not in ('w', 'b'):
            raise AssertionError('ongeldige actie')
        self.rooster[pos] = '-'
        return self

    def aaneengesloten_gebied(self, pos: Pos) -> set[Pos]:
        kleur = self._kleur(pos)
        if kleur == '-':
            return set()
        gebied = set()
        wachtrij = deque([pos])
        while wachtrij:
            for buur in omgeving(wachtrij.popleft()):
                if self._kleur(buur) == kleur and buur not in gebied:
                    gebied.add(buur)
                    wachtrij.append(buur)
        return gebied

    def isopgelost(self) -> bool:
        vakjes = {'w': [], 'b': [], '-': []}
        for pos in self.rooster:
            vakjes[self._kleur(pos)].append(pos)
        if vakjes['-']:
            return False
        for kleur in 'wb':
            if len(self.aaneengesloten_gebied(vakjes[kleur][0])) != len(vakjes[kleur]):
                return False
        return True

    def __str__(self) -> str:
        regels = ['' for _ in range(self.dimensie)]
        for (r, k), teken in self.rooster.items():
            regels[r] += teken
        return '\n'.join(regels)
