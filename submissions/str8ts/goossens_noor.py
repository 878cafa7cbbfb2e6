class Cel():

    def __init__(self, x):
        mogelijk = '.#123456789ABCDEFGHI'
        assert x in mogelijk, 'ongeldig symbool'
        self.x = x

    def __str__(self):
        return self.x

    def isgekleurd(self):
        return self.x in '#ABCDEFGHI'

    def cijfer(self):
        if self.x == '.' or self.x == '#':
            return None
        if self.x in 'ABCDEFGHI':
            return 'ABCDEFGHI'.index(self.x) + 1
        return int(self.x)


def isstraat(n):
    l = []
    for c in str(n):
        l += [int(c)]
    l.sort()
    return l == list(range(l[0], l[0] + len(l)))


class Str8ts():

    def __init__(self, locatie):
        self.r = []
        for lijn in open(locatie):
            rij = []
            for x in lijn[:9]:
                rij += [Cel(x)]
            self.r += [rij]

    def __str__(self):
        s = ''
        for rij in self.r:
            for cel in rij:
                s += str(cel)
            s += '\n'
        return s[:-1]

    def horizontaal_getallen(self, r):
        d = {}
        k = 0
        while k < 9:
            if not self.r[r][k].isgekleurd():
                b = k
                d[b] = ''
                while k < 9 and not self.r[r][k].isgekleurd():
                    d[b] += str(self.r[r][k])
                    k += 1
            k += 1
        return d

    def verticaal_getallen(self, k):
        # zelfde als horizontaal maar met r en k omgewisseld
        d = {}
        r = 0
        while r < 9:
            if not self.r[k][r].isgekleurd():
                b = r
                d[b] = ''
                while r < 9 and not self.r[k][r].isgekleurd():
                    d[b] += str(self.r[k][r])
                    r += 1
            r += 1
        return d

    def horizontaal_cijfers(self, r):
        s = set()
        for k in range(9):
            if self.r[r][k].cijfer() != None:
                s.add(self.r[r][k].cijfer())
        return s

    def verticaal_cijfers(self, k):
        s = set()
        for r in range(9):
            if self.r[r][k].cijfer() != None:
                s.add(self.r[r][k].cijfer())
        return s

    def horizontaal_invullen(self, r, k, n):
        d = self.horizontaal_getallen(r)
        assert isstraat(n), 'ongeldige vulling'
        assert k in d, 'ongeldige vulling'
        assert len(str(n)) == len(d[k]), 'ongeldige vulling'
        # enkel de rij wordt nagekeken, de kolommen nog doen!!
        i = 0
        for c in str(n):
            if d[k][i] == '.':
                assert int(c) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                self.r[r][k + i] = Cel(c)
            else:
                assert d[k][i] == c, 'ongeldige vulling'
            i += 1

    def verticaal_invullen(self, r, k, n):
        # werkt nog niet
        return 'ongeldige vulling'
