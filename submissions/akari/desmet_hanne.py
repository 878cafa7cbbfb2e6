class Akari:
    """ akaripuzzel, Hanne Desmet """

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        for lijn in open(bestand):
            r, k, m = lijn.split()
            self.zwarte_cellen[(int(r), int(k))] = m

    def stralen(self, r, k):
        s = set()
        for dr, dk in [(0, 1), (0, -1), (1, 0), (-1, 0)]:
            x = r + dr
            y = k + dk
            while 0 <= x < self.rijen and 0 <= y < self.kolommen and (x, y) not in self.zwarte_cellen:
		s.add((x, y))
                x += dr
                y += dk
	return s

    def verlicht(self):
	s = set()
        for lamp in self.lampen:
            s = s | self.stralen(lamp[0], lamp[1])
	return s

    def plaats_lamp(self, r, k):
        assert (r, k) not in self.lampen, 'ongeldige positie'
        self.lampen.add((r, k))
