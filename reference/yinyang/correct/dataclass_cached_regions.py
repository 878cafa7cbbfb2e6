"""A dataclass that keeps a cache of regions, emptied at every change, and returns the very set that it keeps."""
from dataclasses import dataclass, field
from itertools import product


@dataclass
class YinYang:
    dimensie: int
    wit: list
    zwart: list
    bord: dict = field(default_factory=dict, repr=False)
    cache: dict = field(default_factory=dict, repr=False)

    def __post_init__(self):
        for p in self.wit:
            self.bord[tuple(p)] = 'W'
        for p in self.zwart:
            if self.bord.get(tuple(p)) == 'W':
                raise AssertionError('ongeldige puzzel')
            self.bord[tuple(p)] = 'B'
        for p in self.bord:
            if not self.in_rooster(p) or self.in_blok(p):
                raise AssertionError('ongeldige puzzel')

    def in_rooster(self, p):
        return min(p) >= 0 and max(p) < self.dimensie

    def kleur(self, p):
        return self.bord[p].lower() if p in self.bord else ''

    def in_blok(self, p):
        """ligt het (gekleurde) vakje p in een vierkant van dezelfde kleur?"""
        r, k = p
        for i, j in product((r - 1, r), (k - 1, k)):
            kleuren = {self.kleur(q) for q in product((i, i + 1), (j, j + 1))}
            if len(kleuren) == 1:
                return True
        return False

    def maak_wit(self, p):
        self._verander(p, 'w')
        return self

    def maak_zwart(self, p):
        self._verander(p, 'b')
        return self

    def _verander(self, p, letter):
        if p in self.bord or not self.in_rooster(p):
            raise AssertionError('ongeldige actie')
        self.bord[p] = letter
        if self.in_blok(p):
            del self.bord[p]
            raise AssertionError('ongeldige actie')
        self.cache.clear()

    def maak_leeg(self, p):
        if self.bord.get(p, 'X').isupper():
            raise AssertionError('ongeldige actie')
        self.bord.pop(p)
        self.cache.clear()
        return self

    def aaneengesloten_gebied(self, p):
        if p not in self.bord:
            return set()
        if p not in self.cache:
            gebied = {p}
            lijst = [p]
            for r, k in lijst:      # de lijst groeit tijdens het doorlopen
                for q in ((r + 1, k), (r, k + 1), (r - 1, k), (r, k - 1)):
                    if q not in gebied and self.kleur(q) == self.kleur(p):
                        gebied.add(q)
                        lijst.append(q)
            # alle vakjes van het gebied delen dezelfde verzameling
            for q in gebied:
                self.cache[q] = gebied
        return self.cache[p]

    def isopgelost(self):
        if len(self.bord) != self.dimensie * self.dimensie:
            return False
        gebieden = {frozenset(self.aaneengesloten_gebied(p)) for p in self.bord}
        # één wit en één zwart gebied
        return len(gebieden) == 2 and len({self.kleur(min(g)) for g in gebieden}) == 2

    def __str__(self):
        uit = ''
        for r in range(self.dimensie):
            if r:
                uit += '\n'
            for k in range(self.dimensie):
                uit += self.bord.get((r, k), '-')
        return uit
