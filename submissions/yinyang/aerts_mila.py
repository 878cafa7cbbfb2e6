class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.wit = set(wit)
        self.zwart = set(zwart)
        self.start = self.wit | self.zwart
        if self.wit & self.zwart:
            raise AssertionError('ongeldige puzzel')
        for r, k in self.start:
            if not (0 <= r < dimensie and 0 <= k < dimensie):
                raise AssertionError('ongeldige puzzel')
        if self.vierkant(self.wit) or self.vierkant(self.zwart):
            raise AssertionError('ongeldige puzzel')

    def vierkant(self, posities):
        for r, k in posities:
            if (r, k + 1) in posities and (r + 1, k) in posities and (r + 1, k + 1) in posities
                return True
        return False

    def maak_wit(self, p):
        r, k = p
        if not (0 <= r < self.dimensie and 0 <= k < self.dimensie):
            raise AssertionError('ongeldige actie')
        if p in self.wit or p in self.zwart or self.vierkant(self.wit | {p}):
            raise AssertionError('ongeldige actie')
        self.wit.add(p)
        return self

    def maak_zwart(self, p):
        r, k = p
        if not (0 <= r < self.dimensie and 0 <= k < self.dimensie):
            raise AssertionError('ongeldige actie')
        if p in self.wit or p in self.zwart or self.vierkant(self.zwart | {p}):
            raise AssertionError('ongeldige actie')
        self.zwart.add(p)
        return self

    def maak_leeg(self, p):
        if p in self.start or p not in self.wit | self.zwart:
            raise AssertionError('ongeldige actie')
        self.wit.discard(p)
        self.zwart.discard(p)
        return self

    def aaneengesloten_gebied(self, p):
        kleur = self.wit if p in self.wit else self.zwart
        gebied = set()
        stapel = [p]
        while stapel:
            r, k = stapel.pop()
            if (r, k) in kleur and (r, k) not in gebied:
                gebied.add((r, k))
                stapel.extend([(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)])
        return gebied

    def isopgelost(self):
        if len(self.wit | self.zwart) != self.dimensie ** 2:
            return False
        for kleur in self.wit, self.zwart:
            for p in kleur:
                if self.aaneengesloten_gebied(p) != kleur:
                    return False
        return True

    def __str__(self):
        rijen = []
        for r in range(self.dimensie):
            rij = ''
            for k in range(self.dimensie):
                letter = 'w' if (r, k) in self.wit else 'b' if (r, k) in self.zwart else '-'
                rij += letter.upper() if (r, k) in self.start else letter
            rijen.append(rij)
        return '\n'.join(rijen)
