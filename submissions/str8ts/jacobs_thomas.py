# Thomas Jacobs, groep 4

class Cel:
    def __init__(self, symbool=None):
        if symbool == None:
            symbool = input('Geef een symbool: ')
        geldig = False
        if len(symbool) == 1:
            if symbool in '.#':
                geldig = True
            if symbool >= '1' and symbool <= '9':
                geldig = True
            if symbool >= 'A' and symbool <= 'I':
                geldig = True
        assert geldig, 'ongeldig symbool'
        self.s = symbool

    def __str__(self):
        return self.s

    def isgekleurd(self):
        return self.s == '#' or (self.s >= 'A' and self.s <= 'I')

    def cijfer(self):
        if self.s >= '1' and self.s <= '9':
            return int(self.s)
        if self.s >= 'A' and self.s <= 'I':
            return ord(self.s) - ord('A') + 1
        return None


def isstraat(n):
    aantal = [0] * 10
    for c in str(n):
        aantal[int(c)] += 1
    # aantal moet er uitzien als 0..0 1..1 0..0
    if aantal[0] > 0 or max(aantal) > 1:
        return False
    tekst = ''.join(str(a) for a in aantal).strip('0')
    return '0' not in tekst


class Str8ts:
    def __init__(self, locatie):
        # de gebruiker mag de naam van het bestand nog aanpassen
        antwoord = input('Naam van het bestand (enter = ' + locatie + '): ')
        if antwoord != '':
            locatie = antwoord
        self.puzzel = []
        for regel in open(locatie):
            if regel != '\n':
                self.puzzel.append(list(regel.replace('\n', '')))

    def __str__(self):
        regels = []
        for rij in self.puzzel:
            regels.append(''.join(rij))
        return '\n'.join(regels)

    def horizontaal_getallen(self, r):
        resultaat = {}
        k = 0
        while k < 9:
            woord = ''
            while k + len(woord) < 9 and not Cel(self.puzzel[r][k + len(woord)]).isgekleurd():
                woord += self.puzzel[r][k + len(woord)]
            if woord != '':
                resultaat[k] = woord
            k += len(woord) + 1
        return resultaat

    def verticaal_getallen(self, k):
        resultaat = {}
        r = 0
        while r < 9:
            woord = ''
            while r + len(woord) < 9 and not Cel(self.puzzel[r + len(woord)][k]).isgekleurd():
                woord += self.puzzel[r + len(woord)][k]
            if woord != '':
                resultaat[r] = woord
            r += len(woord) + 1
        return resultaat

    def horizontaal_cijfers(self, r):
        resultaat = set()
        for symbool in self.puzzel[r]:
            if symbool not in '.#':
                resultaat.add(Cel(symbool).cijfer())
        return resultaat

    def verticaal_cijfers(self, k):
        resultaat = set()
        for rij in self.puzzel:
            if rij[k] not in '.#':
                resultaat.add(Cel(rij[k]).cijfer())
        return resultaat

    def horizontaal_invullen(self, r, k, n):
        assert r >= 0 and r <= 8, 'ongeldige vulling'
        assert isstraat(n), 'ongeldige vulling'
        assert k in self.horizontaal_getallen(r), 'ongeldige vulling'
        woord = self.horizontaal_getallen(r)[k]
        assert len(woord) == len(str(n)), 'ongeldige vulling'
        for i in range(len(woord)):
            c = str(n)[i]
            assert woord[i] in ('.', c), 'ongeldige vulling'
            if woord[i] == '.':
                assert int(c) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(c) not in self.verticaal_cijfers(k + i), 'ongeldige vulling'
        for i in range(len(woord)):
            self.puzzel[r][k + i] = str(n)[i]

    def verticaal_invullen(self, r, k, n):
        assert k >= 0 and k <= 8, 'ongeldige vulling'
        assert isstraat(n), 'ongeldige vulling'
        assert r in self.verticaal_getallen(k), 'ongeldige vulling'
        woord = self.verticaal_getallen(k)[r]
        assert len(woord) == len(str(n)), 'ongeldige vulling'
        for i in range(len(woord)):
            c = str(n)[i]
            assert woord[i] in ('.', c), 'ongeldige vulling'
            if woord[i] == '.':
                assert int(c) not in self.horizontaal_cijfers(r + i), 'ongeldige vulling'
                assert int(c) not in self.verticaal_cijfers(k), 'ongeldige vulling'
        for i in range(len(woord)):
            self.puzzel[r + i][k] = str(n)[i]
