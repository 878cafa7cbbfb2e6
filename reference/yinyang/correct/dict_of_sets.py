"""A dict with four sets (one for each letter), set operations everywhere, isinstance checks in the position test."""


class YinYang:

    VERSCHUIVING = ((0, 0), (0, 1), (1, 0), (1, 1))

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.vakjes = {'W': set(wit), 'B': set(zwart), 'w': set(), 'b': set()}
        if not self.vakjes['W'].isdisjoint(self.vakjes['B']):
            raise AssertionError('ongeldige puzzel')
        for positie in self.vakjes['W'].union(self.vakjes['B']):
            if not self.geldig(positie):
                raise AssertionError('ongeldige puzzel')
        if self.heeft_vierkant(self.vakjes['W']) or self.heeft_vierkant(self.vakjes['B']):
            raise AssertionError('ongeldige puzzel')

    def geldig(self, positie):
        return all(isinstance(x, int) and 0 <= x < self.dimensie for x in positie)

    def heeft_vierkant(self, verz):
        return any(
            all((r + dr, k + dk) in verz for dr, dk in self.VERSCHUIVING)
            for r, k in verz
        )

    def witte(self):
        return self.vakjes['W'] | self.vakjes['w']

    def zwarte(self):
        return self.vakjes['B'] | self.vakjes['b']

    def maak_wit(self, p):
        if not self.geldig(p) or p in self.witte() or p in self.zwarte():
            raise AssertionError('ongeldige actie')
        if self.heeft_vierkant(self.witte() | {p}):
            raise AssertionError('ongeldige actie')
        self.vakjes['w'].add(p)
        return self

    def maak_zwart(self, p):
        if not self.geldig(p) or p in self.witte() or p in self.zwarte():
            raise AssertionError('ongeldige actie')
        if self.heeft_vierkant(self.zwarte() | {p}):
            raise AssertionError('ongeldige actie')
        self.vakjes['b'].add(p)
        return self

    def maak_leeg(self, p):
        # vakjes buiten het rooster zitten ook nooit in deze verzamelingen
        if p in self.vakjes['w']:
            self.vakjes['w'].remove(p)
        elif p in self.vakjes['b']:
            self.vakjes['b'].remove(p)
        else:
            raise AssertionError('ongeldige actie')
        return self

    def aaneengesloten_gebied(self, p):
        for kleur in (self.witte(), self.zwarte()):
            if p in kleur:
                gebied, rand = set(), {p}
                while rand:
                    gebied |= rand
                    nieuw = set()
                    for r, k in rand:
                        nieuw |= {(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)}
                    rand = (nieuw & kleur) - gebied
                return gebied
        return set()

    def isopgelost(self):
        wit, zwart = self.witte(), self.zwarte()
        if len(wit) + len(zwart) != self.dimensie ** 2:
            return False
        if self.heeft_vierkant(wit) or self.heeft_vierkant(zwart):
            return False
        # zonder vakjes van een kleur is er ook geen gebied
        if not wit or not zwart:
            return False
        return (self.aaneengesloten_gebied(next(iter(wit))) == wit
                and self.aaneengesloten_gebied(next(iter(zwart))) == zwart)

    def __str__(self):
        rooster = [['-'] * self.dimensie for _ in range(self.dimensie)]
        for letter, posities in self.vakjes.items():
            for r, k in posities:
                rooster[r][k] = letter
        return '\n'.join(map(''.join, rooster))
