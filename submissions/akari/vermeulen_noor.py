class Akari():
    # ik hou alles bij in 1 rooster (lijst van lijsten) met tekens

    def __init__(self, aantalrijen, aantalkolommen, pad):
        self.R = aantalrijen
        self.K = aantalkolommen
        self.rooster = [['_' for k in range(self.K)] for r in range(self.R)]
        with open(pad) as f:
            for l in f:
                if len(l.split()) == 3:
                    r, k, m = l.split()
                    self.rooster[int(r)][int(k)] = m

    @property
    def zwarte_cellen(self):
        d = {}
        for r in range(self.R):
            for k in range(self.K):
                if self.rooster[r][k] in '01234?':
                    d[(r, k)] = self.rooster[r][k]
        return d

    @property
    def lampen(self):
        return {(r, k) for r in range(self.R) for k in range(self.K) if self.rooster[r][k] == 'L'}

    def stralen(self, r, k):
        s = set()
        for i in range(r - 1, -1, -1):
            if self.rooster[i][k] in '01234?': break
            s.add((i, k))
        for i in range(r + 1, self.R):
            if self.rooster[i][k] in '01234?': break
            s.add((i, k))
        for j in range(k - 1, -1, -1):
            if self.rooster[r][j] in '01234?': break
            s.add((r, j))
        for j in range(k + 1, self.K):
            if self.rooster[r][j] in '01234?': break
            s.add((r, j))
        return s

    def verlicht(self):
        v = set()
        for r, k in self.lampen:
            v.update(self.stralen(r, k))
        return v

    def lampenrond(self, r, k):
        # lampen tellen rond cel r,k
        lampen = self.lampen
        return [(r - 1, k) in lampen, (r + 1, k) in lampen, (r, k - 1) in lampen, (r, k + 1) in lampen].count(True)

    def plaats_lamp(self, r, k):
        # in het rooster + lege witte cel
        assert 0 <= r < self.R and 0 <= k < self.K and self.rooster[r][k] == '_', 'ongeldige positie'
        # niet verlicht
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        self.rooster[r][k] = 'L'
        # te veel lampen -> terug wegdoen!
        for (i, j), m in self.zwarte_cellen.items():
            if m != '?' and self.lampenrond(i, j) > int(m):
                self.rooster[r][k] = '_'
                assert False, 'ongeldige positie'

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.rooster[r][k] = '_'

    def isopgelost(self):
        for (i, j), m in self.zwarte_cellen.items():
            if m != '?' and self.lampenrond(i, j) != int(m):
                return False
        return str(self).count('_') == 0

    def __str__(self):
        v = self.verlicht()
        return '\n'.join([''.join(['*' if (r, k) in v else self.rooster[r][k] for k in range(self.K)]) for r in range(self.R)])
