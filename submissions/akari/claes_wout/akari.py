# Wout Claes
# Reeks 9: Akari

class Cel:
    def __init__(self, markering=None):
        self.markering = markering   # None = witte cel
        self.lamp = False

    def is_zwart(self):
        return self.markering is not None

    def getal(self):
        if self.markering is None or self.markering == '?':
            return None
        return int(self.markering)


class Akari:
    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.cellen = {}
        for r in range(rijen):
            for k in range(kolommen):
                self.cellen[(r, k)] = Cel()
        for lijn in open(locatie):
            if lijn.isspace():
                continue
            gegevens = lijn.split()
            self.cellen[(int(gegevens[0]), int(gegevens[1]))].markering = gegevens[2]
        self.zwarte_cellen = {pos: cel.markering for pos, cel in self.cellen.items() if cel.is_zwart()}
        self.lampen = set()

    def buren(self, r, k):
        lijst = []
        for pos in [(r - 1, k), (r, k + 1), (r + 1, k), (r, k - 1)]:
            if pos in self.cellen:
                lijst.append(pos)
        return lijst

    def aantal(self, pos):
        return len([b for b in self.buren(*pos) if self.cellen[b].lamp])

    def stralen(self, r, k):
        resultaat = set()
        for dr, dk in [(-1, 0), (0, 1), (1, 0), (0, -1)]:
            pos = (r + dr, k + dk)
            while pos in self.cellen and not self.cellen[pos].is_zwart():
                resultaat.add(pos)
                pos = (pos[0] + dr, pos[1] + dk)
        return resultaat

    def verlicht(self):
        resultaat = set()
        for lamp in self.lampen:
            resultaat |= self.stralen(*lamp)
        return resultaat

    def plaats_lamp(self, r, k):
        assert (r, k) in self.cellen, 'ongeldige positie'
        cel = self.cellen[(r, k)]
        assert not cel.is_zwart() and not cel.lamp, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for buur in self.buren(r, k):
            getal = self.cellen[buur].getal()
            assert getal is None or self.aantal(buur) < getal, 'ongeldige positie'
        cel.lamp = True
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.cellen[(r, k)].lamp = False
        self.lampen.remove((r, k))

    def isopgelost(self):
        licht = self.verlicht()
        for pos, cel in self.cellen.items():
            if cel.is_zwart():
                if cel.getal() is not None and cel.getal() != self.aantal(pos):
                    return False
            elif not cel.lamp and pos not in licht:
                return False
        return True

    def __str__(self):
        licht = self.verlicht()
        tekst = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                cel = self.cellen[(r, k)]
                if cel.is_zwart():
                    tekst += cel.markering
                elif cel.lamp:
                    tekst += 'L'
                elif (r, k) in licht:
                    tekst += '*'
                else:
                    tekst += '_'
            tekst += '\n'
        return tekst[:-1]
