"""Elegant set algebra, a small generator for the rays, everything recomputed from the attributes, assert with message; stralen accepts any position."""


class Akari:

    RICHTINGEN = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(locatie, 'r') as bestand:
            for regel in bestand:
                r, k, markering = regel.split()
                self.zwarte_cellen[(int(r), int(k))] = markering

    def in_rooster(self, r, k):
        return 0 <= r < self.rijen and 0 <= k < self.kolommen

    def is_wit(self, r, k):
        return self.in_rooster(r, k) and (r, k) not in self.zwarte_cellen

    def buren(self, r, k):
        for dr, dk in self.RICHTINGEN:
            if self.in_rooster(r + dr, k + dk):
                yield r + dr, k + dk

    def straal(self, r, k, dr, dk):
        r, k = r + dr, k + dk
        while self.is_wit(r, k):
            yield r, k
            r, k = r + dr, k + dk

    def stralen(self, r, k):
        return {
            cel
            for dr, dk in self.RICHTINGEN
            for cel in self.straal(r, k, dr, dk)
        }

    def verlicht(self):
        return set().union(*(self.stralen(*lamp) for lamp in self.lampen))

    def aantal_lampen(self, cel):
        return len(self.lampen & set(self.buren(*cel)))

    def past(self, cel):
        for buur in self.buren(*cel):
            markering = self.zwarte_cellen.get(buur, '?')
            if markering != '?' and self.aantal_lampen(buur) >= int(markering):
                return False
        return True

    def plaats_lamp(self, r, k):
        cel = (r, k)
        assert self.is_wit(r, k), 'ongeldige positie'
        assert cel not in self.lampen, 'ongeldige positie'
        assert cel not in self.verlicht(), 'ongeldige positie'
        assert self.past(cel), 'ongeldige positie'
        self.lampen.add(cel)

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        bezet = self.lampen | self.verlicht() | set(self.zwarte_cellen)
        if len(bezet) != self.rijen * self.kolommen:
            return False
        return all(
            markering == '?' or self.aantal_lampen(cel) == int(markering)
            for cel, markering in self.zwarte_cellen.items()
        )

    def symbool(self, cel, verlicht):
        if cel in self.zwarte_cellen:
            return self.zwarte_cellen[cel]
        if cel in self.lampen:
            return 'L'
        return '*' if cel in verlicht else '_'

    def __str__(self):
        verlicht = self.verlicht()
        return '\n'.join(
            ''.join(self.symbool((r, k), verlicht) for k in range(self.kolommen))
            for r in range(self.rijen)
        )
