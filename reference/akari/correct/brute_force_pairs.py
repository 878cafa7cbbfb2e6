"""Plainly slow: every pair of cells is compared and everything between them looked at."""


class Akari:

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        f = open(bestand)
        for regel in f.readlines():
            regel = regel.strip()
            woorden = regel.split()
            self.zwarte_cellen[(int(woorden[0]), int(woorden[1]))] = woorden[2]
        f.close()

    def alle_cellen(self):
        alle = []
        for r in range(self.rijen):
            for k in range(self.kolommen):
                alle.append((r, k))
        return alle

    def ziet(self, a, b):
        """Kan er licht van cel a naar cel b?"""
        if a == b:
            return False
        if b in self.zwarte_cellen:
            return False
        if a[0] == b[0]:
            laag = min(a[1], b[1])
            hoog = max(a[1], b[1])
            for k in range(laag + 1, hoog):
                if (a[0], k) in self.zwarte_cellen:
                    return False
            return True
        if a[1] == b[1]:
            laag = min(a[0], b[0])
            hoog = max(a[0], b[0])
            for r in range(laag + 1, hoog):
                if (r, a[1]) in self.zwarte_cellen:
                    return False
            return True
        return False

    def aangrenzend(self, a, b):
        return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1

    def stralen(self, r, k):
        resultaat = set()
        for cel in self.alle_cellen():
            if self.ziet((r, k), cel):
                resultaat.add(cel)
        return resultaat

    def verlicht(self):
        resultaat = set()
        for cel in self.alle_cellen():
            for lamp in self.lampen:
                if self.ziet(lamp, cel):
                    resultaat.add(cel)
        return resultaat

    def plaats_lamp(self, r, k):
        ok = False
        if (r, k) in self.alle_cellen():
            if (r, k) not in self.zwarte_cellen:
                if (r, k) not in self.lampen:
                    ok = True
        for lamp in self.lampen:
            if self.ziet(lamp, (r, k)):
                ok = False
        for zwart in self.zwarte_cellen:
            markering = self.zwarte_cellen[zwart]
            if markering != '?' and self.aangrenzend(zwart, (r, k)):
                aantal = 0
                for lamp in self.lampen:
                    if self.aangrenzend(zwart, lamp):
                        aantal += 1
                if aantal + 1 > int(markering):
                    ok = False
        assert ok, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        opgelost = True
        licht = self.verlicht()
        for cel in self.alle_cellen():
            if cel in self.zwarte_cellen:
                markering = self.zwarte_cellen[cel]
                if markering != '?':
                    aantal = 0
                    for lamp in self.lampen:
                        if self.aangrenzend(cel, lamp):
                            aantal += 1
                    if aantal != int(markering):
                        opgelost = False
            elif cel not in self.lampen and cel not in licht:
                opgelost = False
        return opgelost

    def __str__(self):
        licht = self.verlicht()
        uit = ''
        for r in range(self.rijen):
            if r > 0:
                uit = uit + '\n'
            for k in range(self.kolommen):
                cel = (r, k)
                if cel in self.zwarte_cellen:
                    uit = uit + self.zwarte_cellen[cel]
                elif cel in self.lampen:
                    uit = uit + 'L'
                elif cel in licht:
                    uit = uit + '*'
                else:
                    uit = uit + '_'
        return uit
