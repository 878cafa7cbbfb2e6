"""De lamp wordt eerst geplaatst en blijft staan als daarna blijkt dat een getal overschreden wordt."""
# verliest: plaats_lamp


class Akari:

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        # bestand inlezen
        with open(bestand) as f:
            for lijn in f:
                if lijn.strip():
                    r, k, markering = lijn.split()
                    self.zwarte_cellen[(int(r), int(k))] = markering

    def in_rooster(self, r, k):
        return 0 <= r < self.rijen and 0 <= k < self.kolommen

    def is_wit(self, r, k):
        return self.in_rooster(r, k) and (r, k) not in self.zwarte_cellen

    def buren(self, r, k):
        return [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]

    def aantal_lampen_rond(self, r, k):
        aantal = 0
        for buur in self.buren(r, k):
            if buur in self.lampen:
                aantal += 1
        return aantal

    def stralen(self, r, k):
        resultaat = set()
        for dr, dk in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            x = r + dr
            y = k + dk
            # vooruit gaan tot aan de rand of een zwarte cel
            while self.is_wit(x, y):
                resultaat.add((x, y))
                x += dr
                y += dk
        return resultaat

    def verlicht(self):
        resultaat = set()
        for r, k in self.lampen:
            resultaat = resultaat | self.stralen(r, k)
        return resultaat

    def plaats_lamp(self, r, k):
        # is het wel een lege witte cel?
        assert self.is_wit(r, k), 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        # is de cel nog niet verlicht?
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        self.lampen.add((r, k))
        # staan er nu niet te veel lampen naast een zwarte cel?
        for buur in self.buren(r, k):
            if buur in self.zwarte_cellen and self.zwarte_cellen[buur] != '?':
                aantal = self.aantal_lampen_rond(buur[0], buur[1])
                assert aantal <= int(self.zwarte_cellen[buur]), 'ongeldige positie'

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        # alle witte cellen moeten licht hebben
        verlichte_cellen = self.verlicht()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if self.is_wit(r, k) and (r, k) not in self.lampen and (r, k) not in verlichte_cellen:
                    return False
        # alle getallen moeten kloppen
        for (r, k), markering in self.zwarte_cellen.items():
            if markering != '?' and self.aantal_lampen_rond(r, k) != int(markering):
                return False
        return True

    def __str__(self):
        verlichte_cellen = self.verlicht()
        uitvoer = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    uitvoer += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    uitvoer += 'L'
                elif (r, k) in verlichte_cellen:
                    uitvoer += '*'
                else:
                    uitvoer += '_'
            uitvoer += '\n'
        return uitvoer.rstrip('\n')
