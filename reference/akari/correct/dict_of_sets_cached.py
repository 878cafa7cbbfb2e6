"""A dict of sets with the rays of each cell worked out beforehand, the lit cells cached until a lamp changes; stralen and verlicht hand out the very sets that the object keeps."""


class Akari:

    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        with open(locatie) as bestand:
            self.zwarte_cellen = {
                (int(r), int(k)): markering
                for r, k, markering in (regel.split() for regel in bestand)
            }
        self.straal = {}
        self.buur = {}
        for r in range(rijen):
            for k in range(kolommen):
                self.straal[r, k] = set()
                self.buur[r, k] = set()
        self.vul_stralen()
        self.vul_buren()
        self._verlicht = set()

    def vul_stralen(self):
        for r in range(self.rijen):
            self.lijn([(r, k) for k in range(self.kolommen)])
        for k in range(self.kolommen):
            self.lijn([(r, k) for r in range(self.rijen)])

    def lijn(self, cellen):
        # een keer heen en een keer terug over dezelfde lijn
        for volgorde in (cellen, cellen[::-1]):
            gezien = []
            for cel in volgorde:
                self.straal[cel].update(gezien)
                if cel in self.zwarte_cellen:
                    gezien = []
                else:
                    gezien.append(cel)

    def vul_buren(self):
        for r, k in self.buur:
            for ander in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
                if ander in self.buur:
                    self.buur[r, k].add(ander)

    def stralen(self, r, k):
        return self.straal[r, k]

    def verlicht(self):
        if self._verlicht is None:
            self._verlicht = set()
            for lamp in self.lampen:
                self._verlicht.update(self.straal[lamp])
        return self._verlicht

    def ok(self, r, k):
        if (r, k) not in self.straal:
            return False
        if (r, k) in self.zwarte_cellen:
            return False
        if (r, k) in self.lampen:
            return False
        if not self.straal[r, k].isdisjoint(self.lampen):
            return False
        for zwart in self.buur[r, k]:
            markering = self.zwarte_cellen.get(zwart)
            if markering is None or markering == '?':
                continue
            if len(self.buur[zwart] & self.lampen) >= int(markering):
                return False
        return True

    def plaats_lamp(self, r, k):
        assert self.ok(r, k), 'ongeldige positie'
        self.lampen.add((r, k))
        self._verlicht = None

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.discard((r, k))
        self._verlicht = None

    def isopgelost(self):
        for cel in self.straal:
            if cel in self.zwarte_cellen:
                markering = self.zwarte_cellen[cel]
                if markering == '?':
                    continue
                if len(self.buur[cel] & self.lampen) != int(markering):
                    return False
            elif cel not in self.lampen and self.straal[cel].isdisjoint(self.lampen):
                return False
        return True

    def __str__(self):
        regels = []
        for r in range(self.rijen):
            regel = []
            for k in range(self.kolommen):
                teken = '_'
                if (r, k) in self.verlicht():
                    teken = '*'
                if (r, k) in self.lampen:
                    teken = 'L'
                regel.append(self.zwarte_cellen.get((r, k), teken))
            regels.append(''.join(regel))
        return '\n'.join(regels)
