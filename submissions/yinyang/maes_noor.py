class Yinyang:
    """Een Yin-Yang puzzel."""

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.begin = {}
        for p in wit:
            self.begin[p] = 'W'
        for p in zwart:
            assert p not in self.begin, 'ongeldige puzzel'
            self.begin[p] = 'B'
        for (r, k) in self.begin:
            assert 0 <= r < self.n and 0 <= k < self.n, 'ongeldige puzzel'
        self.nu = dict(self.begin)
        assert not self.vierkanten('W') and not self.vierkanten('B'), 'ongeldige puzzel'

    def vierkanten(self, kleur):
        """Geeft de lijst met hoeken linksboven van de vierkanten met een kleur."""
        hoeken = []
        for r in range(self.n - 1):
            for k in range(self.n - 1):
                letters = ''
                for p in [(r, k), (r, k + 1), (r + 1, k), (r + 1, k + 1)]:
                    letters += self.nu.get(p, '-').upper()
                if letters == kleur * 4:
                    hoeken.append((r, k))
        return hoeken

    def maak(self, p, letter):
        r, k = p
        assert 0 <= r < self.n and 0 <= k < self.n, 'ongeldige actie'
        assert p not in self.nu, 'ongeldige actie'
        self.nu[p] = letter
        if self.vierkanten(letter.upper()) != []:
            del self.nu[p]
            raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, p):
        return self.maak(p, 'w')

    def maak_zwart(self, p):
        return self.maak(p, 'b')

    def maak_leeg(self, p):
        assert p in self.nu and p not in self.begin, 'ongeldige actie'
        del self.nu[p]
        return self

    def aaneengesloten_gebied(self, p):
        if p not in self.nu:
            return set()
        kleur = self.nu[p].upper()
        gebied = {p}
        onderzoek = {p}
        while onderzoek:
            (r, k) = onderzoek.pop()
            for b in [(r, k - 1), (r, k + 1), (r - 1, k), (r + 1, k)]:
                if b in self.nu and b not in gebied and self.nu[b].upper() == kleur:
                    gebied.add(b)
                    onderzoek.add(b)
        return gebied

    def isopgelost(self):
        if len(self.nu) != self.n * self.n:
            return False
        for p in self.nu:
            for q in self.nu:
                zelfde_kleur = self.nu[p].upper() == self.nu[q].upper()
                if zelfde_kleur and q not in self.aaneengesloten_gebied(p):
                    return False
        return True

    def __str__(self):
        return '\n'.join(''.join(self.nu.get((r, k), '-') for k in range(self.n)) for r in range(self.n))
