class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.rooster = [['-'] * dimensie for i in range(dimensie)]
        for r, k in wit:
            self.rooster[r][k] = 'W'
        for r, k in zwart:
            self.rooster[r][k] = 'B'

    def maak(self, positie, kleur):
        # blijf proberen tot het lukt
        while True:
            try:
                r, k = positie
                assert 0 <= r < self.dimensie and 0 <= k < self.dimensie
                assert self.rooster[r][k] == '-'
                for a in (-1, 1):
                    for b in (-1, 1):
                        drie = self.letter(r + a, k) + self.letter(r, k + b) + self.letter(r + a, k + b)
                        assert drie.lower() != kleur * 3
                self.rooster[r][k] = kleur
                return self
            except:
                print('ongeldige actie')

    def letter(self, r, k):
        if 0 <= r < self.dimensie and 0 <= k < self.dimensie:
            return self.rooster[r][k]
        return '-'

    def maak_wit(self, positie):
        return self.maak(positie, 'w')

    def maak_zwart(self, positie):
        return self.maak(positie, 'b')

    def maak_leeg(self, positie):
        while True:
            try:
                r, k = positie
                assert self.rooster[r][k] in 'wb'
                self.rooster[r][k] = '-'
                return self
            except:
                pass

    def aaneengesloten_gebied(self, positie):
        gebied = set()
        lijst = [positie]
        kleur = self.letter(*positie).lower()
        while kleur != '-' and lijst != []:
            r, k = lijst.pop()
            if (r, k) not in gebied and self.letter(r, k).lower() == kleur:
                gebied.add((r, k))
                lijst += [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
        return gebied

    def isopgelost(self):
        try:
            gebieden = []
            for r in range(self.dimensie):
                for k in range(self.dimensie):
                    gebied = self.aaneengesloten_gebied((r, k))
                    if gebied not in gebieden:
                        gebieden.append(gebied)
            return set() not in gebieden and len(gebieden) == 2
        except:
            return False

    def __str__(self):
        return '\n'.join(''.join(rij) for rij in self.rooster)
