class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.bord = [['-' for j in range(dimensie)] for i in range(dimensie)]
        for (i, j) in wit:
            assert 0 <= i < dimensie and 0 <= j < dimensie, 'ongeldige puzzel'
            self.bord[i][j] = 'W'
        for (i, j) in zwart:
            assert 0 <= i < dimensie and 0 <= j < dimensie, 'ongeldige puzzel'
            assert self.bord[i][j] == '-', 'ongeldige puzzel'
            self.bord[i][j] = 'B'
        assert not self.blok(), 'ongeldige puzzel'

    # is er ergens een 2x2 blok van een kleur?
    def blok(self):
        for i in range(self.n - 1):
            for j in range(self.n - 1):
                vier = self.bord[i][j] + self.bord[i][j+1] + self.bord[i+1][j] + self.bord[i+1][j+1]
                if vier.lower() in ['wwww', 'bbbb']:
                    return True
        return False

    def verander(self, p, oud, nieuw):
        i, j = p
        if i < 0 or j < 0 or i >= self.n or j >= self.n:
            raise AssertionError('ongeldige actie')
        if self.bord[i][j] not in oud:
            raise AssertionError('ongeldige actie')
        bewaar = self.bord[i][j]
        self.bord[i][j] = nieuw
        if self.blok():
            self.bord[i][j] = bewaar
            raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, p):
        return self.verander(p, '-', 'w')

    def maak_zwart(self, p):
        return self.verander(p, '-', 'b')

    def maak_leeg(self, p):
        return self.verander(p, 'wb', '-')

    # recursief: het gebied van een vakje is het vakje zelf + de gebieden van zijn buren
    def aaneengesloten_gebied(self, p):
        i, j = p
        if i not in range(self.n) or j not in range(self.n):
            return set()
        kleur = self.bord[i][j].lower()
        if kleur == '-':
            return set()
        gebied = {p}
        for (a, b) in [(i, j + 1), (i, j - 1), (i + 1, j), (i - 1, j)]:
            if a in range(self.n) and b in range(self.n) and self.bord[a][b].lower() == kleur:
                gebied = gebied.union(self.aaneengesloten_gebied((a, b)))
        return gebied

    def isopgelost(self):
        wit, zwart = [], []
        for i in range(self.n):
            for j in range(self.n):
                if self.bord[i][j] == '-':
                    return False
                elif self.bord[i][j] in 'Ww':
                    wit.append((i, j))
                else:
                    zwart.append((i, j))
        return self.aaneengesloten_gebied(wit[0]) == set(wit) and self.aaneengesloten_gebied(zwart[0]) == set(zwart)

    def __str__(self):
        return '\n'.join([''.join(rij) for rij in self.bord])
