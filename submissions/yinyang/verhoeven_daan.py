# Oefening Yin-Yang (Daan Verhoeven)
# gemaakt in Kladblok, daarna geüpload

class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        # rooster als één lange string per rij
        self.rijen = ['-' * dimensie for i in range(dimensie)]
        for p in set(wit) | set(zwart):
            if p in wit and p in zwart:
                raise AssertionError('ongeldige puzzel')
            if p in wit:
                self.zet(p, 'W', 'ongeldige puzzel')
            else:
                self.zet(p, 'B', 'ongeldige puzzel')

    def lees(self, r, k):
        if r < 0 or r >= self.dimensie or k < 0 or k >= self.dimensie:
            return ''
        return self.rijen[r][k]

    def schrijf(self, r, k, letter):
        self.rijen[r] = self.rijen[r][:k] + letter + self.rijen[r][k + 1:]

    def zet(self, p, letter, fout):
        r, k = p
        if self.lees(r, k) != '-':
            raise AssertionError(fout)
        self.schrijf(r, k, letter)
        # alle vierkanten bekijken waar het vakje in ligt
        for i in range(r - 1, r + 1):
            for j in range(k - 1, k + 1):
                vier = self.lees(i, j) + self.lees(i, j + 1) + self.lees(i + 1, j) + self.lees(i + 1, j + 1)
                if vier.lower() == 4 * letter.lower():
                    self.schrijf(r, k, '-')
                    raise AssertionError(fout)

    def maak_wit(self, p):
        self.zet(p, 'w', 'ongeldige actie')
        return self

    def maak_zwart(self, p):
        self.zet(p, 'b', 'ongeldige actie')
        return self

    def maak_leeg(self, p):
        r, k = p
        if self.lees(r, k) != 'w' and self.lees(r, k) != 'b':
            raise AssertionError('ongeldige actie')
        self.schrijf(r, k, '-')
        return self

    def aaneengesloten_gebied(self, p):
        gebied = set()
        kleur = self.lees(p[0], p[1]).lower()
        if kleur == 'w' or kleur == 'b':
            T = {p}
            while T:
                r, k = T.pop()
                if self.lees(r, k).lower() == kleur:
                    gebied.add((r, k))
                    T |= {(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)} - gebied
        return gebied

    def isopgelost(self):
        letters = ''.join(self.rijen).lower()
        if '-' in letters:
            return False
        for kleur in 'wb':
            i = letters.find(kleur)
            if i >= 0:
                start = i // self.dimensie, i % self.dimensie
                if len(self.aaneengesloten_gebied(start)) < letters.count(kleur):
                    return False
        return True

    def __str__(self):
        return '\n'.join(self.rijen)
