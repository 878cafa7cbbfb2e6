class Cel:

    def __init__(self, karakter):
        self.k = karakter
        assert karakter in list('123456789') + list('ABCDEFGHI') + ['.', '#'], 'ongeldig symbool'

    def isgekleurd(self):
        return not (self.k == '.' or self.k.isdigit())

    def cijfer(self):
        if self.k.isdigit():
            return int(self.k)
        if self.k.isalpha():
            return ord(self.k) - ord('@')
        return None

    def __str__(self):
        return self.k


def isstraat(n):
    # recursief: haal het grootste cijfer weg en kijk naar de rest
    cijfers = sorted(str(n))
    if '0' in cijfers:
        return False
    if len(cijfers) == 1:
        return True
    if int(cijfers[-1]) - int(cijfers[-2]) != 1:
        return False
    return isstraat(int(''.join(cijfers[:-1])))


class Str8ts:

    def __init__(self, locatie):
        bestand = open(locatie)
        self.rooster = [[Cel(k) for k in regel.strip()] for regel in bestand.readlines()]

    def __str__(self):
        return '\n'.join(''.join(str(c) for c in rij) for rij in self.rooster)

    def zoek(self, cellen, plaats, huidig):
        # recursief alle getallen zoeken vanaf deze plaats
        if cellen[plaats % 9].isgekleurd():
            getallen = self.zoek(cellen, plaats + 1, '')
        else:
            huidig = huidig + str(cellen[plaats % 9])
            getallen = self.zoek(cellen, plaats + 1, huidig)
            getallen[plaats - len(huidig) + 1] = huidig
        return getallen

    def horizontaal_getallen(self, r):
        return self.zoek(self.rooster[r], 0, '')

    def verticaal_getallen(self, k):
        getallen = {}
        woord = ''
        for r in range(10):
            if r < 9 and not self.rooster[r][k].isgekleurd():
                woord += str(self.rooster[r][k])
            elif woord:
                getallen[r - len(woord)] = woord
                woord = ''
        return getallen

    def horizontaal_cijfers(self, r):
        return set(filter(None, [c.cijfer() for c in self.rooster[r]]))

    def verticaal_cijfers(self, k):
        return set(filter(None, [rij[k].cijfer() for rij in self.rooster]))

    def horizontaal_invullen(self, r, k, n):
        getallen = self.horizontaal_getallen(r)
        assert isstraat(n) and k in getallen and len(getallen[k]) == len(str(n)), 'ongeldige vulling'
        for i, c in enumerate(str(n)):
            assert getallen[k][i] == c or getallen[k][i] == '.' and \
                int(c) not in self.horizontaal_cijfers(r) and \
                int(c) not in self.verticaal_cijfers(k + i), 'ongeldige vulling'
        for i, c in enumerate(str(n)):
            self.rooster[r][k + i] = Cel(c)

    def verticaal_invullen(self, r, k, n):
        getallen = self.verticaal_getallen(k)
        assert isstraat(n) and r in getallen and len(getallen[r]) == len(str(n)), 'ongeldige vulling'
        for i, c in enumerate(str(n)):
            assert getallen[r][i] == c or getallen[r][i] == '.' and \
                int(c) not in self.horizontaal_cijfers(r + i) and \
                int(c) not in self.verticaal_cijfers(k), 'ongeldige vulling'
        for i, c in enumerate(str(n)):
            self.rooster[r + i][k] = Cel(c)
