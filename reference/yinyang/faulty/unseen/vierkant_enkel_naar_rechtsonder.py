"""Een nieuw vakje wordt enkel gezien als de hoek linksboven van een vierkant."""
# verliest: maak_wit, maak_zwart

# 0 = leeg, 1 = wit (opgave), 2 = zwart (opgave), 3 = wit gemaakt, 4 = zwart gemaakt

class YinYang():

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.wit = wit
        self.zwart = zwart

        for i in wit:
            if i in zwart:
                raise AssertionError('ongeldige puzzel')
            if i[0] < 0 or i[0] >= dimensie or i[1] < 0 or i[1] >= dimensie:
                raise AssertionError('ongeldige puzzel')
            if (i[0] + 1, i[1]) in wit and (i[0], i[1] + 1) in wit and (i[0] + 1, i[1] + 1) in wit:
                raise AssertionError('ongeldige puzzel')
        for i in zwart:
            if i[0] < 0 or i[0] >= dimensie or i[1] < 0 or i[1] >= dimensie:
                raise AssertionError('ongeldige puzzel')
            if (i[0] + 1, i[1]) in zwart and (i[0], i[1] + 1) in zwart and (i[0] + 1, i[1] + 1) in zwart:
                raise AssertionError('ongeldige puzzel')

        self.bord = []
        for r in range(dimensie):
            rij = []
            for k in range(dimensie):
                rij.append(0)
            self.bord.append(rij)
        for i in wit:
            self.bord[i[0]][i[1]] = 1
        for i in zwart:
            self.bord[i[0]][i[1]] = 2

    def is_wit(self, r, k):
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            return False
        return self.bord[r][k] == 1 or self.bord[r][k] == 3

    def is_zwart(self, r, k):
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            return False
        return self.bord[r][k] == 2 or self.bord[r][k] == 4

    def maak_wit(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.bord[r][k] != 0:
            raise AssertionError('ongeldige actie')
        if self.is_wit(r + 1, k + 1) and self.is_wit(r + 1, k) and self.is_wit(r, k + 1):
            raise AssertionError('ongeldige actie')
        self.bord[r][k] = 3
        return self

    def maak_zwart(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.bord[r][k] != 0:
            raise AssertionError('ongeldige actie')
        if self.is_zwart(r + 1, k + 1) and self.is_zwart(r + 1, k) and self.is_zwart(r, k + 1):
            raise AssertionError('ongeldige actie')
        self.bord[r][k] = 4
        return self

    def maak_leeg(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.bord[r][k] < 3:
            raise AssertionError('ongeldige actie')
        self.bord[r][k] = 0
        return self

    def aaneengesloten_gebied(self, p):
        G = {p}
        T = {p}
        if self.is_wit(p[0], p[1]):
            while len(T) > 0:
                r, k = T.pop()
                for q in ((r - 1, k), (r, k + 1), (r + 1, k), (r, k - 1)):
                    if self.is_wit(q[0], q[1]) and q not in G:
                        G.add(q)
                        T.add(q)
            return G
        elif self.is_zwart(p[0], p[1]):
            while len(T) > 0:
                r, k = T.pop()
                for q in ((r - 1, k), (r, k + 1), (r + 1, k), (r, k - 1)):
                    if self.is_zwart(q[0], q[1]) and q not in G:
                        G.add(q)
                        T.add(q)
            return G
        else:
            return set()

    def isopgelost(self):
        alle_wit = set()
        alle_zwart = set()
        for r in range(self.dimensie):
            for k in range(self.dimensie):
                if self.bord[r][k] == 0:
                    return False
                if self.is_wit(r, k):
                    alle_wit.add((r, k))
                if self.is_zwart(r, k):
                    alle_zwart.add((r, k))
        for p in alle_wit:
            if self.aaneengesloten_gebied(p) != alle_wit:
                return False
        for p in alle_zwart:
            if self.aaneengesloten_gebied(p) != alle_zwart:
                return False
        return True

    def __str__(self):
        s = ''
        for r in range(self.dimensie):
            for k in range(self.dimensie):
                s += '-WBwb'[self.bord[r][k]]
            if r < self.dimensie - 1:
                s += '\n'
        return s
