# -*- coding: latin-1 -*-
# Zoë Lefèvre -- oefening akari (gemaakt op de computer van één van mijn ouders)

class Akari:
    """Eén puzzel, met coördinaten (rij, kolom)."""

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        lezer = open(bestand)
        for lijn in lezer:
            woorden = lijn.split()
            if woorden:
                self.zwarte_cellen[(int(woorden[0]), int(woorden[1]))] = woorden[2]
        lezer.close()

    def __isgeldig(self, cel):
        # geïnspireerd op de oefening van vorige week
        return cel[0] in range(self.rijen) and cel[1] in range(self.kolommen) and cel not in self.zwarte_cellen

    def __verschuif(self, cel, richting):
        return cel[0] + richting[0], cel[1] + richting[1]

    def stralen(self, r, k):
        verz = set()
        for richting in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            cel = self.__verschuif((r, k), richting)
            while self.__isgeldig(cel):
                verz.add(cel)
                cel = self.__verschuif(cel, richting)
        return verz

    def verlicht(self):
        """Alle cellen die door minstens één lamp verlicht worden."""
        verz = set()
        for r, k in self.lampen:
            verz |= self.stralen(r, k)
        return verz

    def __lampen_rond(self, cel):
        return sum(1 for richting in ((1, 0), (0, 1), (-1, 0), (0, -1)) if self.__verschuif(cel, richting) in self.lampen)

    def plaats_lamp(self, r, k):
        assert self.__isgeldig((r, k)), 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for richting in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            buur = self.__verschuif((r, k), richting)
            if buur in self.zwarte_cellen and self.zwarte_cellen[buur].isdigit():
                # er mag nog één lamp bij
                assert self.__lampen_rond(buur) + 1 <= int(self.zwarte_cellen[buur]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel, markering in self.zwarte_cellen.items():
            if markering.isdigit() and self.__lampen_rond(cel) != int(markering):
                return False
        return len(self.verlicht() | self.lampen | set(self.zwarte_cellen)) == self.rijen * self.kolommen

    def __str__(self):
        regels = []
        for r in range(self.rijen):
            regel = ''
            for k in range(self.kolommen):
                if (r, k) in self.lampen:
                    regel += 'L'
                elif (r, k) in self.zwarte_cellen:
                    regel += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.verlicht():
                    regel += '*'
                else:
                    regel += '_'
            regels.append(regel)
        return '\n'.join(regels)
