import os
import sys


class Cel:

    def __init__(self, symbool):
        if type(symbool) != str or len(symbool) != 1 or not symbool in '123456789.#ABCDEFGHI':
            raise AssertionError('ongeldig symbool')
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in '#ABCDEFGHI'

    def cijfer(self):
        return ' 123456789'.find(self.symbool) % 11 % 10 or 'ABCDEFGHI'.find(self.symbool) + 1 or None


def isstraat(n):
    tekst = str(n)
    for start in '123456789':
        # 987654321 kan ook, dus permutaties: gewoon kijken of alles erin zit
        reeks = '123456789'[int(start) - 1:int(start) - 1 + len(tekst)]
        if sorted(reeks) == sorted(tekst):
            return True
    return False


class Str8ts:

    def __init__(self, locatie):
        self.rooster = {}
        for r, lijn in enumerate(open(locatie)):
            for k, symbool in enumerate(lijn.strip()):
                self.rooster[(r, k)] = Cel(symbool)

    def __str__(self):
        tekst = ''
        for r in range(9):
            tekst += ''.join([str(self.rooster[(r, k)]) for k in range(9)]) + '\n'
        return tekst.strip()

    def getallen(self, cellen):
        gevonden = {}
        huidig = ''
        for i, cel in enumerate(cellen + [Cel('#')]):
            if cel.isgekleurd():
                if huidig:
                    gevonden[i - len(huidig)] = huidig
                huidig = ''
            else:
                huidig += str(cel)
        return gevonden

    def horizontaal_getallen(self, r):
        return self.getallen([self.rooster[(r, k)] for k in range(9)])

    def verticaal_getallen(self, k):
        return self.getallen([self.rooster[(r, k)] for r in range(9)])

    def horizontaal_cijfers(self, r):
        return set(self.rooster[(r, k)].cijfer() for k in range(9)) - {None}

    def verticaal_cijfers(self, k):
        return set(self.rooster[(r, k)].cijfer() for r in range(9)) - {None}

    def stop(self, boodschap):
        # fout tonen en het programma stoppen
        print(boodschap)
        sys.stdout.flush()
        os._exit(0)

    def horizontaal_invullen(self, r, k, n):
        if not isstraat(n):
            self.stop('ongeldige vulling')
        if r not in range(9) or k not in self.horizontaal_getallen(r):
            self.stop('ongeldige vulling')
        patroon = self.horizontaal_getallen(r)[k]
        if len(patroon) != len(str(n)):
            self.stop('ongeldige vulling')
        for i, c in enumerate(str(n)):
            if patroon[i] == '.':
                if int(c) in self.horizontaal_cijfers(r) | self.verticaal_cijfers(k + i):
                    self.stop('ongeldige vulling')
            elif patroon[i] != c:
                self.stop('ongeldige vulling')
        for i, c in enumerate(str(n)):
            self.rooster[(r, k + i)] = Cel(c)

    def verticaal_invullen(self, r, k, n):
        if not isstraat(n):
            self.stop('ongeldige vulling')
        if k not in range(9) or r not in self.verticaal_getallen(k):
            self.stop('ongeldige vulling')
        patroon = self.verticaal_getallen(k)[r]
        if len(patroon) != len(str(n)):
            self.stop('ongeldige vulling')
        for i, c in enumerate(str(n)):
            if patroon[i] == '.':
                if int(c) in self.horizontaal_cijfers(r + i) | self.verticaal_cijfers(k):
                    self.stop('ongeldige vulling')
            elif patroon[i] != c:
                self.stop('ongeldige vulling')
        for i, c in enumerate(str(n)):
            self.rooster[(r + i, k)] = Cel(c)
