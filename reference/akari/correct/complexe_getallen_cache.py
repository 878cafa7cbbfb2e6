"""Posities zijn complexe getallen; de stralen van elke cel worden onthouden, een eigen klasse van fouten."""

from functools import reduce
from operator import ior


class OngeldigePositie(AssertionError):
    """Eigen fout, die zich wel gewoon als AssertionError toont."""

    def __init__(self):
        super().__init__('ongeldige positie')


OngeldigePositie.__name__ = OngeldigePositie.__qualname__ = 'AssertionError'
OngeldigePositie.__module__ = 'builtins'


def naar_tupel(z):
    return int(z.real), int(z.imag)


class Akari:

    def __init__(self, rijen, kolommen, locatie):
        self.rijen, self.kolommen = rijen, kolommen
        self.zwarte_cellen = {}
        self._cache = {}
        with open(locatie) as bestand:
            for lijn in bestand:
                r, k, m = lijn.split()
                self.zwarte_cellen[int(r), int(k)] = m
        self.lampen = set()
        self._wit = {complex(r, k) for r in range(rijen) for k in range(kolommen)}
        self._wit -= {complex(*cel) for cel in self.zwarte_cellen}

    def _straal(self, r, k):
        """stralen veranderen nooit, dus onthouden we ze"""
        if (r, k) not in self._cache:
            gezien = set()
            richting = 1j
            for _ in range(4):
                z = complex(r, k) + richting
                while z in self._wit:
                    gezien.add(naar_tupel(z))
                    z += richting
                richting *= 1j
            self._cache[r, k] = gezien
        return self._cache[r, k]

    def stralen(self, r, k):
        return set(self._straal(r, k))

    def verlicht(self):
        return reduce(ior, (self._straal(*lamp) for lamp in self.lampen), set())

    def _in_licht(self, r, k):
        return not self.lampen.isdisjoint(self._straal(r, k))

    def _lampen_naast(self, cel):
        z = complex(*cel)
        return sum(naar_tupel(z + d) in self.lampen for d in (1, -1, 1j, -1j))

    def plaats_lamp(self, r, k):
        z = complex(r, k)
        if z not in self._wit or (r, k) in self.lampen or self._in_licht(r, k):
            raise OngeldigePositie
        for d in (1, -1, 1j, -1j):
            m = self.zwarte_cellen.get(naar_tupel(z + d), '?')
            # '?' komt na alle cijfers, dus vergelijken als tekst mag
            if str(self._lampen_naast(naar_tupel(z + d))) >= m:
                raise OngeldigePositie
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise OngeldigePositie()
        self.lampen.remove((r, k))

    def isopgelost(self):
        return not any(self._donker(*naar_tupel(z)) for z in self._wit) and all(
            m in ('?', str(self._lampen_naast(cel))) for cel, m in self.zwarte_cellen.items())

    def _donker(self, r, k):
        return (r, k) not in self.lampen and not self._in_licht(r, k)

    def __str__(self):
        def teken(r, k):
            if (r, k) in self.zwarte_cellen:
                return self.zwarte_cellen[r, k]
            if (r, k) in self.lampen:
                return 'L'
            return '_' if self._donker(r, k) else '*'
        return '\n'.join(''.join(teken(r, k) for k in range(self.kolommen)) for r in range(self.rijen))
