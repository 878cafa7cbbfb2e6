"""Zwarte vakjes worden getoond met de letters Z en z."""
# verliest: str

FOUT_PUZZEL = 'ongeldige puzzel'
FOUT_ACTIE = 'ongeldige actie'


class YinYang:
    # het rooster is een platte lijst: vakje (r, k) staat op index r * n + k

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.lst = ['-'] * (dimensie * dimensie)
        for letter, posities in [('W', wit), ('B', zwart)]:
            for positie in posities:
                i = self.index(positie)
                if i is None or self.lst[i] != '-':
                    raise AssertionError(FOUT_PUZZEL)
                self.lst[i] = letter
        for i in range(len(self.lst)):
            if self.vierkant(i):
                raise AssertionError(FOUT_PUZZEL)

    def index(self, positie):
        # geeft None als de positie niet bestaat
        r, k = positie
        if 0 <= r < self.n and 0 <= k < self.n:
            return r * self.n + k
        return None

    def kleur(self, r, k):
        i = self.index((r, k))
        if i is None:
            return '-'
        return self.lst[i].lower()

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

    def verander(self, positie, mag, letter):
        # verandert het vakje als het nu een van de letters uit mag is
        i = self.index(positie)
        if i is None or self.lst[i] not in mag:
            raise AssertionError(FOUT_ACTIE)
        oud = self.lst[i]
        self.lst[i] = letter
        if self.vierkant(i):
            self.lst[i] = oud
            raise AssertionError(FOUT_ACTIE)
        return self

    def maak_wit(self, positie):
        return self.verander(positie, ['-'], 'w')

    def maak_zwart(self, positie):
        return self.verander(positie, ['-'], 'b')

    def maak_leeg(self, positie):
        return self.verander(positie, ['w', 'b'], '-')

    def aaneengesloten_gebied(self, positie):
        if self.index(positie) is None:
            return set()
        kleur = self.kleur(*positie)
        if kleur == '-':
            return set()
        gebied = [positie]
        # de lijst groeit terwijl we ze doorlopen
        for r, k in gebied:
            for buur in [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]:
                if self.kleur(*buur) == kleur and buur not in gebied:
                    gebied.append(buur)
        return set(gebied)

    def isopgelost(self):
        if '-' in self.lst:
            return False
        kleuren = [v.lower() for v in self.lst]
        for kleur in ['w', 'b']:
            if kleur in kleuren:
                start = divmod(kleuren.index(kleur), self.n)
                if len(self.aaneengesloten_gebied(start)) != kleuren.count(kleur):
                    return False
        return True

    def __str__(self):
        tekst = ''.join(self.lst).replace('B', 'Z').replace('b', 'z')
        rijen = [tekst[i:i + self.n] for i in range(0, len(tekst), self.n)]
        return '\n'.join(rijen)
