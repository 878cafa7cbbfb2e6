import doctest
from itertools import product


def buren(positie):
    """
    >>> sorted(buren((2, 5)))
    [(1, 5), (2, 4), (2, 6), (3, 5)]
    """
    r, k = positie
    return {(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)}


def bevat_vierkant(verzameling):
    """
    >>> bevat_vierkant({(0, 0), (0, 1), (1, 0)})
    False
    >>> bevat_vierkant({(0, 0), (0, 1), (1, 0), (1, 1)})
    True
    """
    for r, k in verzameling:
        if set(product((r, r + 1), (k, k + 1))).issubset(verzameling):
            return True
    return False


def verbonden(start, verzameling):
    """
    >>> sorted(verbonden((0, 0), {(0, 0), (0, 1), (1, 2)}))
    [(0, 0), (0, 1)]
    """
    if start not in verzameling:
        return set()
    vorige, huidige = set(), {start}
    while vorige != huidige:
        vorige = huidige
        huidige = set().union(vorige, *(buren(p) for p in vorige)) & verzameling
    return huidige


class YinYang(object):

    def __init__(self, dimensie, wit, zwart):
        self.posities = list(product(range(dimensie), repeat=2))
        self.dimensie = dimensie
        self.wit, self.zwart = set(wit), set(zwart)
        self.vast = frozenset(self.wit | self.zwart)
        if (
            not self.wit.isdisjoint(self.zwart)
            or not self.vast <= set(self.posities)
            or bevat_vierkant(self.wit)
            or bevat_vierkant(self.zwart)
        ):
            raise AssertionError('ongeldige puzzel')

    def __str__(self):
        tekst = ''
        for r, k in self.posities:
            letter = '-'
            if (r, k) in self.wit:
                letter = 'w'
            elif (r, k) in self.zwart:
                letter = 'b'
            tekst += letter.upper() if (r, k) in self.vast else letter
            # laatste kolom: naar de volgende regel
            if k == self.dimensie - 1 and r < self.dimensie - 1:
                tekst += '\n'
        return tekst

    def _kleur(self, positie, verzameling):
        if (
            positie not in self.posities
            or positie in self.wit
            or positie in self.zwart
            or bevat_vierkant(verzameling | {positie})
        ):
            raise AssertionError('ongeldige actie')
        verzameling.add(positie)
        return self

    def maak_wit(self, positie):
        return self._kleur(positie, self.wit)

    def maak_zwart(self, positie):
        return self._kleur(positie, self.zwart)

    def maak_leeg(self, positie):
        if positie in self.vast or positie not in self.wit | self.zwart:
            raise AssertionError('ongeldige actie')
        self.wit -= {positie}
        self.zwart -= {positie}
        return self

    def aaneengesloten_gebied(self, positie):
        return verbonden(positie, self.wit) or verbonden(positie, self.zwart)

    def isopgelost(self):
        if len(self.wit) + len(self.zwart) != len(self.posities):
            return False
        return all(
            verbonden(min(kleur), kleur) == kleur
            for kleur in (self.wit, self.zwart) if kleur
        )


# doctest.testmod(verbose=True)
