"""Een zwart vierkant in de opgave wordt niet geweigerd."""
# verliest: YinYang

# 0 = leeg, 1 = wit (opgave), 2 = zwart (opgave), 3 = wit gemaakt, 4 = zwart gemaakt

class YinYang():

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.wit = wit
        self.zwart = zwart

        for vakje in wit:
            if vakje in zwart:
                raise AssertionError('ongeldige puzzel')
            if vakje[0] < 0 or vakje[0] >= dimensie or vakje[1] < 0 or vakje[1] >= dimensie:
                raise AssertionError('ongeldige puzzel')
            if (vakje[0] + 1, vakje[1]) in wit and (vakje[0], vakje[1] + 1) in wit and (vakje[0] + 1, vakje[1] + 1) in wit:
                raise AssertionError('ongeldige puzzel')
        for vakje in zwart:
            if vakje[0] < 0 or vakje[0] >= dimensie or vakje[1] < 0 or vakje[1] >= dimensie:
                raise AssertionError('ongeldige puzzel')

        self.matrix = []
        for r in range(dimensie):
            rij = []
            for k in range(dimensie):
                rij.append(0)
            self.matrix.append(rij)
        for vakje in wit:
            self.matrix[vakje[0]][vakje[1]] = 1
        for vakje in zwart:
            self.matrix[vakje[0]][vakje[1]] = 2

    def is_wit(self, r, k):
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            return False
        return self.matrix[r][k] == 1 or self.matrix[r][k] == 3

    def is_zwart(self, r, k):
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            return False
        return self.matrix[r][k] == 2 or self.matrix[r][k] == 4

    def maak_wit(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.matrix[r][k] != 0:
            raise AssertionError('ongeldige actie')
        # linksboven, rechtsboven, linksonder, rechtsonder
        if self.is_wit(r - 1, k - 1) and self.is_wit(r - 1, k) and self.is_wit(r, k - 1):
            raise AssertionError('ongeldige actie')
        if self.is_wit(r - 1, k + 1) and self.is_wit(r - 1, k) and self.is_wit(r, k + 1):
            raise AssertionError('ongeldige actie')
        if self.is_wit(r + 1, k - 1) and self.is_wit(r + 1, k) and self.is_wit(r, k - 1):
            raise AssertionError('ongeldige actie')
        if self.is_wit(r + 1, k + 1) and self.is_wit(r + 1, k) and self.is_wit(r, k + 1):
            raise AssertionError('ongeldige actie')
        self.matrix[r][k] = 3
        return self

    def maak_zwart(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.matrix[r][k] != 0:
            raise AssertionError('ongeldige actie')
        # linksboven, rechtsboven, linksonder, rechtsonder
        if self.is_zwart(r - 1, k - 1) and self.is_zwart(r - 1, k) and self.is_zwart(r, k - 1):
            raise AssertionError('ongeldige actie')
        if self.is_zwart(r - 1, k + 1) and self.is_zwart(r - 1, k) and self.is_zwart(r, k + 1):
            raise AssertionError('ongeldige actie')
        if self.is_zwart(r + 1, k - 1) and self.is_zwart(r + 1, k) and self.is_zwart(r, k - 1):
            raise AssertionError('ongeldige actie')
        if self.is_zwart(r + 1, k + 1) and self.is_zwart(r + 1, k) and self.is_zwart(r, k + 1):
            raise AssertionError('ongeldige actie')
        self.matrix[r][k] = 4
        return self

    def maak_leeg(self, p):
        r = p[0]
        k = p[1]
        if r < 0 or k < 0 or r >= self.dimensie or k >= self.dimensie:
            raise AssertionError('ongeldige actie')
        if self.matrix[r][k] < 3:
            raise AssertionError('ongeldige actie')
        self.matrix[r][k] = 0
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
                if self.matrix[r][k] == 0:
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
                s += '-WBwb'[self.matrix[r][k]]
            if r < self.dimensie - 1:
                s += '\n'
        return s
