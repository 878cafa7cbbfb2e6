class YinYang:

    def __init__(self, dimensie, wit, zwart):
        print('init', dimensie, wit, zwart)
        self.N = dimensie
        self.wit0 = tuple(wit)
        self.zwart0 = tuple(zwart)
        self.wit1 = []
        self.zwart1 = []
        for p in self.wit0:
            if not self.ok(p) or p in self.zwart0 or self.kwadraat(p, self.wit0):
                raise AssertionError('ongeldige puzzel')
        for p in self.zwart0:
            if not self.ok(p) or self.kwadraat(p, self.zwart0):
                raise AssertionError('ongeldige puzzel')

    def ok(self, p):
        return p[0] >= 0 and p[1] >= 0 and p[0] < self.N and p[1] < self.N

    def kwadraat(self, p, lijst):
        # zit p met drie posities uit de lijst in een vierkant
        x, y = p
        a = [(x - 1, y - 1), (x - 1, y), (x, y - 1)]
        b = [(x - 1, y + 1), (x - 1, y), (x, y + 1)]
        c = [(x + 1, y - 1), (x + 1, y), (x, y - 1)]
        d = [(x + 1, y + 1), (x + 1, y), (x, y + 1)]
        for drie in [a, b, c, d]:
            aantal = 0
            for q in drie:
                if q in lijst:
                    aantal += 1
            if aantal == 3:
                return True
        return False

    def is_leeg(self, p):
        return p not in self.wit0 and p not in self.wit1 and p not in self.zwart0 and p not in self.zwart1

    def maak_wit(self, p):
        print('maak_wit', p, self.ok(p), self.is_leeg(p))
        if self.ok(p) and self.is_leeg(p) and not self.kwadraat(p, self.wit0 + tuple(self.wit1)):
            self.wit1.append(p)
            return self
        print('HIER FOUT')
        raise AssertionError('ongeldige actie')

    def maak_zwart(self, p):
        print('maak_zwart', p, self.ok(p), self.is_leeg(p))
        if self.ok(p) and self.is_leeg(p) and not self.kwadraat(p, self.zwart0 + tuple(self.zwart1)):
            self.zwart1.append(p)
            return self
        print('HIER FOUT')
        raise AssertionError('ongeldige actie')

    def maak_leeg(self, p):
        if p in self.wit1:
            self.wit1.remove(p)
        elif p in self.zwart1:
            self.zwart1.remove(p)
        else:
            raise AssertionError('ongeldige actie')
        return self

    def aaneengesloten_gebied(self, p):
        alle = ()
        if p in self.wit0 or p in self.wit1:
            alle = self.wit0 + tuple(self.wit1)
        if p in self.zwart0 or p in self.zwart1:
            alle = self.zwart0 + tuple(self.zwart1)
        if len(alle) == 0:
            return set()
        G = set([p])
        T = set([p])
        while T != set():
            x, y = T.pop()
            print('T =', T, 'G =', G)
            for q in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]:
                if q in alle and q not in G:
                    G.add(q)
                    T.add(q)
        return G

    def isopgelost(self):
        wit = set(self.wit0) | set(self.wit1)
        zwart = set(self.zwart0) | set(self.zwart1)
        print(len(wit), len(zwart))
        if len(wit) + len(zwart) != self.N * self.N:
            return False
        for p in wit:
            if self.aaneengesloten_gebied(p) != wit:
                return False
        for p in zwart:
            if self.aaneengesloten_gebied(p) != zwart:
                return False
        return True

    def __str__(self):
        r = ''
        for x in range(self.N):
            for y in range(self.N):
                if (x, y) in self.wit0:
                    r += 'W'
                elif (x, y) in self.wit1:
                    r += 'w'
                elif (x, y) in self.zwart0:
                    r += 'B'
                elif (x, y) in self.zwart1:
                    r += 'b'
                else:
                    r += '-'
            r += '\n'
        return r[0:-1]
