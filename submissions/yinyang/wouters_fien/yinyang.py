class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.rooster = []
        for i in range(dimensie):
            self.rooster.append(['-'] * dimensie)
        for (r, k) in wit:
            self.rooster[r][k] = 'W'
        for (r, k) in zwart:
            self.rooster[r][k] = 'B'
        # TODO: controleren of de puzzel geldig is

    def __str__(self):
        resultaat = ''
        for rij in self.rooster:
            for vakje in rij:
                resultaat += vakje
            resultaat += '\n'
        return resultaat.strip()

    def is_kleur(self, r, k, kleur):
        if r < 0 or k < 0:
            return False
        if r >= self.dimensie or k >= self.dimensie:
            return False
        return self.rooster[r][k] in kleur

    def vierkant(self, r, k, kleur):
        boven = self.is_kleur(r - 1, k, kleur)
        onder = self.is_kleur(r + 1, k, kleur)
        links = self.is_kleur(r, k - 1, kleur)
        rechts = self.is_kleur(r, k + 1, kleur)
        if boven and links and self.is_kleur(r - 1, k - 1, kleur):
            return True
        if boven and rechts and self.is_kleur(r - 1, k + 1, kleur):
            return True
        if onder and links and self.is_kleur(r + 1, k - 1, kleur):
            return True
        if onder and rechts and self.is_kleur(r + 1, k + 1, kleur):
            return True
        return False

    def maak_wit(self, p):
        r, k = p
        assert self.is_kleur(r, k, '-'), 'ongeldige actie'
        assert not self.vierkant(r, k, 'Ww'), 'ongeldige actie'
        self.rooster[r][k] = 'w'
        return self

    def maak_zwart(self, p):
        r, k = p
        assert self.is_kleur(r, k, '-'), 'ongeldige actie'
        assert not self.vierkant(r, k, 'Bb'), 'ongeldige actie'
        self.rooster[r][k] = 'b'
        return self

    def maak_leeg(self, p):
        r, k = p
        assert self.is_kleur(r, k, 'WwBb'), 'ongeldige actie'
        self.rooster[r][k] = '-'

    def aaneengesloten_gebied(self, p):
        r, k = p
        if self.is_kleur(r, k, 'Ww'):
            kleur = 'Ww'
        elif self.is_kleur(r, k, 'Bb'):
            kleur = 'Bb'
        else:
            return set()
        gebied = set()
        te_doen = [p]
        while len(te_doen) != 0:
            r, k = te_doen.pop(0)
            if (r, k) not in gebied and self.is_kleur(r, k, kleur):
                gebied.add((r, k))
                te_doen.append((r - 1, k))
                te_doen.append((r + 1, k))
                te_doen.append((r, k - 1))
                te_doen.append((r, k + 1))
        return gebied

    def isopgelost(self):
        # als alles gekleurd is dan is de puzzel klaar
        if '-' in str(self):
            return False
        else:
            return True
