"""Dataclass with slots for a black cell, mangled private names and slots, properties that give copies, isinstance(x, int) checks."""
from dataclasses import dataclass, field


@dataclass(slots=True)
class Zwart:
    markering: str
    limiet: int = field(init=False)

    def __post_init__(self):
        self.limiet = 4 if self.markering == '?' else int(self.markering)

    def genummerd(self):
        return self.markering.isdigit()


class Akari:

    __slots__ = ('__hoogte', '__breedte', '__zwart', '__lampen')

    def __init__(self, hoogte, breedte, locatie):
        assert isinstance(hoogte, int) and isinstance(breedte, int)
        self.__hoogte = hoogte
        self.__breedte = breedte
        self.__zwart = {}
        self.__lampen = {}
        with open(locatie) as bestand:
            for regel in bestand.read().splitlines():
                velden = regel.split()
                if len(velden) == 3:
                    positie = (int(velden[0]), int(velden[1]))
                    self.__zwart[positie] = Zwart(velden[2])

    @property
    def zwarte_cellen(self):
        return {positie: cel.markering for positie, cel in self.__zwart.items()}

    @property
    def lampen(self):
        return set(self.__lampen)

    def __geldig(self, r, k):
        if not isinstance(r, int) or not isinstance(k, int):
            return False
        return 0 <= r < self.__hoogte and 0 <= k < self.__breedte

    def __buren(self, r, k):
        return [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]

    def __tel(self, positie):
        return sum(buur in self.__lampen for buur in self.__buren(*positie))

    def stralen(self, r, k):
        gebied = set()
        for reeks in (
            [(i, k) for i in range(r - 1, -1, -1)],
            [(i, k) for i in range(r + 1, self.__hoogte)],
            [(r, j) for j in range(k - 1, -1, -1)],
            [(r, j) for j in range(k + 1, self.__breedte)],
        ):
            for cel in reeks:
                if cel in self.__zwart:
                    break
                gebied.add(cel)
        return gebied

    def verlicht(self):
        gebied = set()
        for stralen in self.__lampen.values():
            gebied |= stralen
        return gebied

    def plaats_lamp(self, r, k):
        positie = (r, k)
        if not self.__geldig(r, k):
            raise AssertionError('ongeldige positie')
        if positie in self.__zwart:
            raise AssertionError('ongeldige positie')
        if positie in self.__lampen:
            raise AssertionError('ongeldige positie')
        for stralen in self.__lampen.values():
            if positie in stralen:
                raise AssertionError('ongeldige positie')
        for buur in self.__buren(r, k):
            if buur in self.__zwart:
                if self.__tel(buur) + 1 > self.__zwart[buur].limiet:
                    raise AssertionError('ongeldige positie')
        # de stralen horen bij de lamp
        self.__lampen[positie] = self.stralen(r, k)

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.__lampen:
            raise AssertionError('ongeldige positie')
        del self.__lampen[(r, k)]

    def isopgelost(self):
        nodig = self.__hoogte * self.__breedte - len(self.__zwart)
        if len(self.verlicht()) + len(self.__lampen) < nodig:
            return False
        for positie, cel in self.__zwart.items():
            if cel.genummerd():
                if self.__tel(positie) != cel.limiet:
                    return False
        return True

    def __str__(self):
        licht = self.verlicht()
        regels = []
        for r in range(self.__hoogte):
            regel = ''
            for k in range(self.__breedte):
                if (r, k) in self.__zwart:
                    regel += self.__zwart[(r, k)].markering
                elif (r, k) in self.__lampen:
                    regel += 'L'
                elif (r, k) in licht:
                    regel += '*'
                else:
                    regel += '_'
            regels.append(regel)
        return '\n'.join(regels)
