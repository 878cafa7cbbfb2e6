"""copy.deepcopy before trying, fills as it goes and rolls back; exceptions caught and raised again; debug prints on the screen."""
import copy


class Cel:
    def __init__(self, symbool):
        try:
            if symbool == '#':
                self.zwart = True
                self.getal = None
            elif symbool == '.':
                self.zwart = False
                self.getal = None
            elif symbool.isupper():
                self.zwart = True
                self.getal = {'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'I': 9}[symbool]
            else:
                self.zwart = False
                self.getal = {'1': 1, '2': 2, '3': 3, '4': 4, '5': 5, '6': 6, '7': 7, '8': 8, '9': 9}[symbool]
        except (KeyError, AttributeError, TypeError):
            raise AssertionError('ongeldig symbool')

    def __str__(self):
        if self.zwart and self.getal is None:
            return '#'
        elif self.zwart:
            return ' ABCDEFGHI'[self.getal]
        elif self.getal is None:
            return '.'
        else:
            return str(self.getal)

    def isgekleurd(self):
        return self.zwart

    def cijfer(self):
        return self.getal


def isstraat(n):
    lijst = list(str(n))
    lijst.sort()
    vorige = None
    for c in lijst:
        if c == '0':
            return False
        if vorige is not None and int(c) - int(vorige) != 1:
            return False
        vorige = c
    return True


class Str8ts:
    def __init__(self, bestandsnaam):
        self.rooster = []
        with open(bestandsnaam, 'r') as bestand:
            lijn = bestand.readline()
            while lijn:
                rij = []
                for teken in lijn.rstrip('\n'):
                    rij.append(Cel(teken))
                self.rooster.append(rij)
                lijn = bestand.readline()

    def __str__(self):
        s = ''
        for i in range(len(self.rooster)):
            if i != 0:
                s += '\n'
            for cel in self.rooster[i]:
                s += cel.__str__()
        return s

    def horizontaal_getallen(self, r):
        d = {}
        woord = ''
        for k in range(9):
            if self.rooster[r][k].isgekleurd():
                if woord != '':
                    d[k - len(woord)] = woord
                woord = ''
            else:
                woord += str(self.rooster[r][k])
        if woord != '':
            d[9 - len(woord)] = woord
        return d

    def verticaal_getallen(self, k):
        d = {}
        woord = ''
        for r in range(9):
            if self.rooster[r][k].isgekleurd():
                if woord != '':
                    d[r - len(woord)] = woord
                woord = ''
            else:
                woord += str(self.rooster[r][k])
        if woord != '':
            d[9 - len(woord)] = woord
        return d

    def horizontaal_cijfers(self, r):
        v = set()
        for k in range(9):
            if self.rooster[r][k].cijfer():
                v.add(self.rooster[r][k].cijfer())
        return v

    def verticaal_cijfers(self, k):
        v = set()
        for r in range(9):
            if self.rooster[r][k].cijfer():
                v.add(self.rooster[r][k].cijfer())
        return v

    def zet_cijfer(self, r, k, c):
        cel = self.rooster[r][k]
        if cel.getal is None:
            if c in self.horizontaal_cijfers(r):
                raise ValueError('dubbel in rij')
            if c in self.verticaal_cijfers(k):
                raise ValueError('dubbel in kolom')
            cel.getal = c
        elif cel.getal != c:
            raise ValueError('ander cijfer')

    def horizontaal_invullen(self, r, k, n):
        backup = copy.deepcopy(self.rooster)
        try:
            if not isstraat(n):
                raise ValueError('geen straat')
            if r < 0 or k < 0:
                raise ValueError('buiten het rooster')
            patroon = self.horizontaal_getallen(r)[k]
            if len(patroon) != len(str(n)):
                raise ValueError('verkeerde lengte')
            for i in range(len(patroon)):
                self.zet_cijfer(r, k + i, int(str(n)[i]))
        except (ValueError, KeyError, IndexError) as fout:
            print('DEBUG: horizontaal', r, k, n, 'mislukt:', fout)
            self.rooster = backup
            raise AssertionError('ongeldige vulling')

    def verticaal_invullen(self, r, k, n):
        backup = copy.deepcopy(self.rooster)
        try:
            if not isstraat(n):
                raise ValueError('geen straat')
            if r < 0 or k < 0:
                raise ValueError('buiten het rooster')
            patroon = self.verticaal_getallen(k)[r]
            if len(patroon) != len(str(n)):
                raise ValueError('verkeerde lengte')
            for i in range(len(patroon)):
                self.zet_cijfer(r + i, k, int(str(n)[i]))
        except (ValueError, KeyError, IndexError) as fout:
            print('DEBUG: verticaal', r, k, n, 'mislukt:', fout)
            self.rooster = backup
            raise AssertionError('ongeldige vulling')
