class Cel:

    def __init__(self, symbool):
        # lijst van alle geldige symbolen
        letters = [chr(i) for i in range(ord('A'), ord('J'))]
        cijfers = [str(i) for i in range(1, 10)]
        if symbool in letters:
            self.gekleurd, self.waarde = True, letters.index(symbool) + 1
        elif symbool in cijfers:
            self.gekleurd, self.waarde = False, cijfers.index(symbool) + 1
        elif symbool == '#':
            self.gekleurd, self.waarde = True, None
        elif symbool == '.':
            self.gekleurd, self.waarde = False, None
        else:
            raise AssertionError('ongeldig symbool')

    def __str__(self):
        if self.gekleurd and self.waarde is None:
            return '#'
        elif self.gekleurd:
            return chr(ord('A') + self.waarde - 1)
        elif self.waarde is None:
            return '.'
        else:
            return str(self.waarde)

    def isgekleurd(self):
        return self.gekleurd

    def cijfer(self):
        return self.waarde


def isstraat(n):
    cijfers = sorted(str(n), key=int)
    if cijfers[0] == '0':
        return False
    while len(cijfers) > 1:
        eerste = cijfers.pop(0)
        if int(cijfers[0]) - int(eerste) != 1:
            return False
    return True


class Str8ts:

    def __init__(self, locatie):
        self.rooster = []
        try:
            with open(locatie) as bestand:
                for regel in bestand:
                    regel = regel.strip()
                    if regel:
                        self.rooster.append(list(regel))
        except FileNotFoundError:
            print('bestand niet gevonden:', locatie)

    def __str__(self):
        return '\n'.join(''.join(rij) for rij in self.rooster)

    def horizontaal_getallen(self, r):
        rij = self.rooster[r]
        getallen = {}
        k = 8
        einde = 9
        # van achter naar voor
        while k >= -1:
            if k == -1 or Cel(rij[k]).isgekleurd():
                if einde - k > 1:
                    getallen[k + 1] = ''.join(rij[k + 1:einde])
                einde = k
            k -= 1
        return getallen

    def verticaal_getallen(self, k):
        kolom = [rij[k] for rij in self.rooster]
        getallen = {}
        r = 8
        einde = 9
        while r >= -1:
            if r == -1 or Cel(kolom[r]).isgekleurd():
                if einde - r > 1:
                    getallen[r + 1] = ''.join(kolom[r + 1:einde])
                einde = r
            r -= 1
        return getallen

    def horizontaal_cijfers(self, r):
        resultaat = set()
        for symbool in self.rooster[r]:
            resultaat.add(Cel(symbool).cijfer())
        resultaat.discard(None)
        return resultaat

    def verticaal_cijfers(self, k):
        resultaat = set()
        for rij in self.rooster:
            resultaat.add(Cel(rij[k]).cijfer())
        resultaat.discard(None)
        return resultaat

    def horizontaal_invullen(self, r, k, n):
        if r < 0 or r > 8 or not isstraat(n):
            raise AssertionError('ongeldige vulling')
        getallen = self.horizontaal_getallen(r)
        if k not in getallen or len(getallen[k]) != len(str(n)):
            raise AssertionError('ongeldige vulling')
        nieuw = [rij[:] for rij in self.rooster]
        for i in range(len(str(n))):
            c = str(n)[i]
            if getallen[k][i] == '.':
                if int(c) in self.horizontaal_cijfers(r) or int(c) in self.verticaal_cijfers(k + i):
                    raise AssertionError('ongeldige vulling')
                nieuw[r][k + i] = c
            elif getallen[k][i] != c:
                raise AssertionError('ongeldige vulling')
        # pas op het einde het echte rooster vervangen
        self.rooster = nieuw

    def verticaal_invullen(self, r, k, n):
        if k < 0 or k > 8 or not isstraat(n):
            raise AssertionError('ongeldige vulling')
        getallen = self.verticaal_getallen(k)
        if r not in getallen or len(getallen[r]) != len(str(n)):
            raise AssertionError('ongeldige vulling')
        nieuw = [rij[:] for rij in self.rooster]
        for i in range(len(str(n))):
            c = str(n)[i]
            if getallen[r][i] == '.':
                if int(c) in self.horizontaal_cijfers(r + i) or int(c) in self.verticaal_cijfers(k):
                    raise AssertionError('ongeldige vulling')
                nieuw[r + i][k] = c
            elif getallen[r][i] != c:
                raise AssertionError('ongeldige vulling')
        self.rooster = nieuw
