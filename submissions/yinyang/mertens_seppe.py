# Yin-Yang

dimensie = int(input('Hoe groot is de puzzel? '))


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.rooster = {}
        for r in range(dimensie):
            for k in range(dimensie):
                self.rooster[(r, k)] = '-'
        for p in wit:
            if p not in self.rooster or p in zwart:
                raise AssertionError('ongeldige puzzel')
            self.rooster[p] = 'W'
        for p in zwart:
            if p not in self.rooster:
                raise AssertionError('ongeldige puzzel')
            self.rooster[p] = 'B'
        for p in self.rooster:
            if self.vierkant(p):
                raise AssertionError('ongeldige puzzel')

    def vierkant(self, p):
        # p is linksboven
        r, k = p
        kleuren = set()
        for q in (p, (r + 1, k), (r, k + 1), (r + 1, k + 1)):
            kleuren.add(self.rooster.get(q, '-').lower())
        return kleuren == {'w'} or kleuren == {'b'}

    def zet(self, p, letter):
        if self.rooster.get(p) != '-':
            raise AssertionError('ongeldige actie')
        self.rooster[p] = letter
        for q in self.rooster:
            if self.vierkant(q):
                self.rooster[p] = '-'
                raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, p):
        return self.zet(p, 'w')

    def maak_zwart(self, p):
        return self.zet(p, 'b')

    def maak_leeg(self, p):
        if p not in self.rooster or self.rooster[p] not in ['w', 'b']:
            raise AssertionError('ongeldige actie')
        self.rooster[p] = '-'
        return self

    def aaneengesloten_gebied(self, p):
        if p not in self.rooster or self.rooster[p] == '-':
            return set()
        gebied = set()
        todo = {p}
        while todo:
            q = todo.pop()
            gebied.add(q)
            r, k = q
            for b in ((r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)):
                if b in self.rooster and b not in gebied:
                    if self.rooster[b].lower() == self.rooster[p].lower():
                        todo.add(b)
        return gebied

    def isopgelost(self):
        gebieden = []
        for p in self.rooster:
            if self.rooster[p] == '-':
                return False
            gebied = self.aaneengesloten_gebied(p)
            if gebied not in gebieden:
                gebieden.append(gebied)
        return len(gebieden) == 2

    def __str__(self):
        letters = ''.join(self.rooster.values())
        n = self.dimensie
        return '\n'.join(letters[i * n:(i + 1) * n] for i in range(n))


puzzel = YinYang(dimensie, [], [])
while not puzzel.isopgelost():
    print(puzzel)
    rij = int(input('rij: '))
    kolom = int(input('kolom: '))
    kleur = input('wit of zwart? ')
    if kleur == 'wit':
        puzzel.maak_wit((rij, kolom))
    else:
        puzzel.maak_zwart((rij, kolom))
print('Proficiat!')
