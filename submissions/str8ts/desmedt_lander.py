class Cel:
    def __init__(self, symbool):
        assert symbool in ('.', '#', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B',
                           'C', 'D', 'E', 'F', 'G', 'H', 'I'), 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in ('#', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I')

    def cijfer(self):
        if self.symbool in ('.', '#'):
            return None
        if self.isgekleurd():
            return ord(self.symbool) - 64
        return int(self.symbool)


def isstraat(n):
    # een voor een de cijfers van achter naar voor eruit halen
    cijfers = []
    while n > 0:
        laatste = n % 10
        if laatste == 0:
            continue    # nul hoort niet bij een straat
        cijfers.append(laatste)
        n //= 10
    if cijfers == []:
        return False
    klein = min(cijfers)
    for i in range(len(cijfers)):
        if klein + i not in cijfers:
            return False
    return True


class Str8ts:
    def __init__(self, locatie):
        self.cellen = []
        with open(locatie, 'r') as bestand:
            for regel in bestand.read().splitlines():
                if len(regel) == 9:
                    self.cellen += [Cel(s) for s in regel]
        # index van (r, k) is 9 * r + k

    def __str__(self):
        tekst = ''.join(str(c) for c in self.cellen)
        regels = []
        for i in range(0, 81, 9):
            regels.append(tekst[i:i + 9])
        return '\n'.join(regels)

    def rij(self, r):
        return self.cellen[9 * r:9 * r + 9]

    def kolom(self, k):
        return self.cellen[k::9]

    def woorden(self, cellen):
        woorden = {}
        i = 0
        while i < 9:
            j = i
            while j < 9 and not cellen[j].isgekleurd():
                j += 1
            if j > i:
                woorden[i] = ''.join(str(c) for c in cellen[i:j])
            i = j + 1
        return woorden

    def horizontaal_getallen(self, r):
        return self.woorden(self.rij(r))

    def verticaal_getallen(self, k):
        return self.woorden(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return set([c.cijfer() for c in self.rij(r) if c.cijfer() is not None])

    def verticaal_cijfers(self, k):
        return set([c.cijfer() for c in self.kolom(k) if c.cijfer() is not None])

    def horizontaal_invullen(self, r, k, n):
        assert 0 <= r < 9, 'ongeldige vulling'
        woorden = self.horizontaal_getallen(r)
        assert k in woorden, 'ongeldige vulling'
        self.zet(woorden[k], [9 * r + k + i for i in range(len(woorden[k]))], n)

    def verticaal_invullen(self, r, k, n):
        assert 0 <= k < 9, 'ongeldige vulling'
        woorden = self.verticaal_getallen(k)
        assert r in woorden, 'ongeldige vulling'
        self.zet(woorden[r], [9 * (r + i) + k for i in range(len(woorden[r]))], n)

    def zet(self, patroon, plaatsen, n):
        assert isstraat(n), 'ongeldige vulling'
        assert len(str(n)) == len(patroon), 'ongeldige vulling'
        for i in range(len(patroon)):
            c = str(n)[i]
            if patroon[i] == '.':
                assert int(c) not in self.horizontaal_cijfers(plaatsen[i] // 9), 'ongeldige vulling'
                assert int(c) not in self.verticaal_cijfers(plaatsen[i] % 9), 'ongeldige vulling'
            else:
                assert c == patroon[i], 'ongeldige vulling'
        for i in range(len(patroon)):
            self.cellen[plaatsen[i]] = Cel(str(n)[i])
