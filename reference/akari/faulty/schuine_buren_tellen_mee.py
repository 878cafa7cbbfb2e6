"""Lampen die schuin naast een genummerde zwarte cel staan worden meegeteld."""
# verliest: lampen, verlicht, str, plaats_lamp, isopgelost


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

    def iswit(self, r, k):
        return self.in_rooster(r, k) and (r, k) not in self.zwarte_cellen

    def buren(self, r, k):
        return [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]

    def aantal_lampen_rond(self, r, k):
        aantal = 0
        for x in range(r - 1, r + 2):
            for y in range(k - 1, k + 2):
                if (x, y) in self.lampen:
                    aantal += 1
        return aantal

    def stralen(self, r, k):
        r_set = set()
        for dr, dk in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            x = r + dr
            y = k + dk
            # vooruit gaan tot aan de rand of een zwarte cel
            while self.iswit(x, y):
                r_set.add((x, y))
                x += dr
                y += dk
        return r_set

    def verlicht(self):
        r_set = set()
        for r, k in self.lampen:
            r_set = r_set | self.stralen(r, k)
        return r_set

    def plaats_lamp(self, r, k):
        # is het wel een lege witte cel?
        assert self.iswit(r, k), 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        # is de cel nog niet verlicht?
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        # mag er nog een lamp bij naast de zwarte cellen?
        for buur in self.buren(r, k):
            if buur in self.zwarte_cellen and self.zwarte_cellen[buur] != '?':
                aantal = self.aantal_lampen_rond(buur[0], buur[1])
                assert aantal < int(self.zwarte_cellen[buur]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        # alle witte cellen moeten licht hebben
        licht = self.verlicht()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if self.iswit(r, k) and (r, k) not in self.lampen and (r, k) not in licht:
                    return False
        # alle getallen moeten kloppen
        for (r, k), markering in self.zwarte_cellen.items():
            if markering != '?' and self.aantal_lampen_rond(r, k) != int(markering):
                return False
        return True

    def __str__(self):
        licht = self.verlicht()
        tekst = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    tekst += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    tekst += 'L'
                elif (r, k) in licht:
                    tekst += '*'
                else:
                    tekst += '_'
            tekst += '\n'
        return tekst.rstrip('\n')
