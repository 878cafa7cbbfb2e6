"""Recursive flood fill, generators for neighbours and squares, slots and properties, raises subclasses of AssertionError."""
import sys


class YinYangFout(AssertionError):
    pass


class OngeldigePuzzel(YinYangFout):

    def __init__(self):
        super().__init__('ongeldige puzzel')


class OngeldigeActie(YinYangFout):

    def __init__(self):
        super().__init__('ongeldige actie')


class YinYang:

    __slots__ = ('_dimensie', '_wit', '_zwart', '_opgave')

    def __init__(self, dimensie, wit, zwart):
        self._dimensie = dimensie
        # een gebied kan het hele rooster beslaan
        sys.setrecursionlimit(max(sys.getrecursionlimit(), dimensie ** 2 + 1000))
        self._wit = {*wit}
        self._zwart = {*zwart}
        self._opgave = frozenset(self._wit | self._zwart)
        if self._wit & self._zwart:
            raise OngeldigePuzzel()
        for positie in self._opgave:
            if positie not in self:
                raise OngeldigePuzzel()
        for positie in self._opgave:
            kleur = self._wit if positie in self._wit else self._zwart
            if any(vierkant <= kleur for vierkant in self.vierkanten(positie)):
                raise OngeldigePuzzel()

    @property
    def dimensie(self):
        return self._dimensie

    @property
    def gevuld(self):
        return self._wit | self._zwart

    def __contains__(self, positie):
        rij, kolom = positie
        return 0 <= rij < self.dimensie and 0 <= kolom < self.dimensie

    @staticmethod
    def buren(positie):
        rij, kolom = positie
        yield rij - 1, kolom
        yield rij, kolom + 1
        yield rij + 1, kolom
        yield rij, kolom - 1

    @staticmethod
    def vierkanten(positie):
        rij, kolom = positie
        for r in (rij - 1, rij):
            for k in (kolom - 1, kolom):
                yield {(r, k), (r, k + 1), (r + 1, k), (r + 1, k + 1)}

    def _kleur(self, positie, kleur):
        if positie not in self or positie in self.gevuld:
            raise OngeldigeActie
        for vierkant in self.vierkanten(positie):
            if vierkant - {positie} <= kleur:
                raise OngeldigeActie
        kleur.add(positie)
        return self

    def maak_wit(self, positie):
        return self._kleur(positie, self._wit)

    def maak_zwart(self, positie):
        return self._kleur(positie, self._zwart)

    def maak_leeg(self, positie):
        if positie not in self.gevuld or positie in self._opgave:
            raise OngeldigeActie
        self._wit.discard(positie)
        self._zwart.discard(positie)
        return self

    def _vul(self, positie, kleur, gebied):
        gebied.add(positie)
        for buur in self.buren(positie):
            if buur in kleur and buur not in gebied:
                self._vul(buur, kleur, gebied)
        return gebied

    def aaneengesloten_gebied(self, positie):
        if positie in self._wit:
            return self._vul(positie, self._wit, set())
        if positie in self._zwart:
            return self._vul(positie, self._zwart, set())
        return set()

    def isopgelost(self):
        if len(self.gevuld) < self.dimensie ** 2:
            return False
        return all(
            self.aaneengesloten_gebied(positie) == kleur
            for kleur in (self._wit, self._zwart)
            for positie in sorted(kleur)[:1]
        )

    def __str__(self):
        def teken(positie):
            if positie in self._wit:
                letter = 'w'
            elif positie in self._zwart:
                letter = 'b'
            else:
                return '-'
            return letter.upper() if positie in self._opgave else letter

        n = range(self.dimensie)
        return '\n'.join(''.join(teken((r, k)) for k in n) for r in n)
