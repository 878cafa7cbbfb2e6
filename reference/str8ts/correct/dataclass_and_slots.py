"""Subclasses of AssertionError are raised, a Cel with slots and properties, a frozen dataclass for a number with its cells."""
from dataclasses import dataclass


class OngeldigSymbool(AssertionError):
    def __init__(self):
        super().__init__('ongeldig symbool')


class OngeldigeVulling(AssertionError):
    def __init__(self):
        super().__init__('ongeldige vulling')


class Cel:
    __slots__ = ('_kleur', '_cijfer')

    def __init__(self, symbool):
        if symbool == '.':
            self._kleur, self._cijfer = False, None
        elif symbool == '#':
            self._kleur, self._cijfer = True, None
        elif symbool in list('123456789'):
            self._kleur, self._cijfer = False, int(symbool)
        elif symbool in list('ABCDEFGHI'):
            self._kleur, self._cijfer = True, ord(symbool) - 64
        else:
            raise OngeldigSymbool()

    @property
    def waarde(self):
        return self._cijfer

    @waarde.setter
    def waarde(self, nieuw):
        self._cijfer = nieuw

    @property
    def leeg(self):
        return self._cijfer is None

    def isgekleurd(self):
        return self._kleur

    def cijfer(self):
        return self._cijfer

    def __str__(self):
        if self.leeg:
            return '#' if self._kleur else '.'
        return chr(64 + self._cijfer) if self._kleur else str(self._cijfer)


@dataclass(frozen=True)
class Getal:
    rij: int
    kolom: int
    cellen: tuple

    @property
    def patroon(self):
        return ''.join(str(cel) for cel in self.cellen)


def isstraat(n):
    gezien = []
    while n:
        cijfer = n % 10
        n = n // 10
        if cijfer in gezien or cijfer == 0:
            return False
        gezien.append(cijfer)
    if gezien == []:
        return False
    return max(gezien) - min(gezien) + 1 == len(gezien)


class Str8ts:
    __slots__ = ('_cellen', '_hor', '_ver')

    def __init__(self, locatie):
        with open(locatie) as bestand:
            self._cellen = [[Cel(s) for s in regel.strip('\n')] for regel in bestand.readlines()]
        self._hor = [self._zoek(r, 0, 0, 1) for r in range(9)]
        self._ver = [self._zoek(0, k, 1, 0) for k in range(9)]

    def _zoek(self, r, k, dr, dk):
        gevonden = []
        huidig = []
        while r < 9 and k < 9:
            cel = self._cellen[r][k]
            if cel.isgekleurd():
                if huidig:
                    gevonden.append(huidig)
                huidig = []
            else:
                huidig.append((r, k, cel))
            r += dr
            k += dk
        if huidig:
            gevonden.append(huidig)
        return [Getal(g[0][0], g[0][1], tuple(c for _, _, c in g)) for g in gevonden]

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self._cellen)

    def horizontaal_getallen(self, r):
        return {g.kolom: g.patroon for g in self._hor[r]}

    def verticaal_getallen(self, k):
        return {g.rij: g.patroon for g in self._ver[k]}

    def horizontaal_cijfers(self, r):
        return {cel.waarde for cel in self._cellen[r] if not cel.leeg}

    def verticaal_cijfers(self, k):
        return {rij[k].waarde for rij in self._cellen if not rij[k].leeg}

    def horizontaal_invullen(self, r, k, n):
        if not 0 <= r < 9 or not isstraat(n):
            raise OngeldigeVulling()
        for getal in self._hor[r]:
            if getal.kolom == k:
                break
        else:
            raise OngeldigeVulling()
        verboden = [self.horizontaal_cijfers(r) | self.verticaal_cijfers(k + i) for i in range(len(getal.cellen))]
        self._vul(getal, verboden, n)

    def verticaal_invullen(self, r, k, n):
        if not 0 <= k < 9 or not isstraat(n):
            raise OngeldigeVulling()
        for getal in self._ver[k]:
            if getal.rij == r:
                break
        else:
            raise OngeldigeVulling()
        verboden = [self.verticaal_cijfers(k) | self.horizontaal_cijfers(r + i) for i in range(len(getal.cellen))]
        self._vul(getal, verboden, n)

    def _vul(self, getal, verboden, n):
        cijfers = list(map(int, str(n)))
        if len(cijfers) != len(getal.cellen):
            raise OngeldigeVulling()
        for cel, nee, c in zip(getal.cellen, verboden, cijfers):
            if cel.leeg and c in nee:
                raise OngeldigeVulling()
            if not cel.leeg and cel.waarde != c:
                raise OngeldigeVulling()
        for cel, c in zip(getal.cellen, cijfers):
            cel.waarde = c
