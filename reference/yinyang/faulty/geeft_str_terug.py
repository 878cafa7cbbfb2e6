"""De acties geven de stringvoorstelling terug in plaats van de puzzel zelf."""
# verliest: maak_wit, maak_zwart, maak_leeg

FOUT_PUZZEL = 'ongeldige puzzel'
FOUT_ACTIE = 'ongeldige actie'


class YinYang:
    # het rooster is een platte lijst: vakje (r, k) staat op index r * n + k

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.vakjes = ['-'] * (dimensie * dimensie)
        for letter, posities in [('W', wit), ('B', zwart)]:
            for p in posities:
                i = self.index(p)
                if i is None or self.vakjes[i] != '-':
                    raise AssertionError(FOUT_PUZZEL)
                self.vakjes[i] = letter
        for i in range(len(self.vakjes)):
            if self.vierkant(i):
                raise AssertionError(FOUT_PUZZEL)

    def index(self, p):
        # geeft None als de positie niet bestaat
        r, k = p
        if 0 <= r < self.n and 0 <= k < self.n:
            return r * self.n + k
        return None

    def kleur(self, r, k):
        i = self.index((r, k))
        if i is None:
            return '-'
        return self.vakjes[i].lower()

    def vierkant(self, i):
        # ligt het vakje op index i in een vierkant van zijn eigen kleur?
        r, k = divmod(i, self.n)
        kleur = self.kleur(r, k)
        if kleur == '-':
            return False
        for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
            if self.kleur(r + a, k) == self.kleur(r, k + b) == self.kleur(r + a, k + b) == kleur:
                return True
        return False

    def verander(self, p, mag, letter):
        # verandert het vakje als het nu een van de letters uit mag is
        i = self.index(p)
        if i is None or self.vakjes[i] not in mag:
            raise AssertionError(FOUT_ACTIE)
        oud = self.vakjes[i]
        self.vakjes[i] = letter
        if self.vierkant(i):
            self.vakjes[i] = oud
            raise AssertionError(FOUT_ACTIE)
        return str(self)

    def maak_wit(self, p):
        return self.verander(p, ['-'], 'w')

    def maak_zwart(self, p):
        return self.verander(p, ['-'], 'b')

    def maak_leeg(self, p):
        return self.verander(p, ['w', 'b'], '-')

    def aaneengesloten_gebied(self, p):
        if self.index(p) is None:
            return set()
        kleur = self.kleur(*p)
        if kleur == '-':
            return set()
        gebied = [p]
        # de lijst groeit terwijl we ze doorlopen
        for r, k in gebied:
            for buur in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]:
                if self.kleur(*buur) == kleur and buur not in gebied:
                    gebied.append(buur)
        return set(gebied)

    def isopgelost(self):
        if '-' in self.vakjes:
            return False
        kleuren = [v.lower() for v in self.vakjes]
        for kleur in ['w', 'b']:
            if kleur in kleuren:
                start = divmod(kleuren.index(kleur), self.n)
                if len(self.aaneengesloten_gebied(start)) != kleuren.count(kleur):
                    return False
        return True

    def __str__(self):
        rijen = [self.vakjes[i:i + self.n] for i in range(0, len(self.vakjes), self.n)]
        return '\n'.join([''.join(rij) for rij in rijen])
