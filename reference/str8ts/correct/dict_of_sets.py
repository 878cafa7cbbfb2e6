"""Keeps dicts of sets with the digits per row and column and returns these very sets; splitlines."""

class Cel:
    def __init__(self, karakter):
        mogelijk = {'.': (False, None), '#': (True, None)}
        for i in range(1, 10):
            mogelijk[str(i)] = (False, i)
            mogelijk[chr(ord('A') + i - 1)] = (True, i)
        if type(karakter) != str or karakter not in mogelijk:
            raise AssertionError('ongeldig symbool')
        self.karakter = karakter
        self.gekleurd, self.getal = mogelijk[karakter]

    def __str__(self):
        return self.karakter

    def isgekleurd(self):
        return self.gekleurd

    def cijfer(self):
        return self.getal


def isstraat(n):
    tekst = str(n)
    if '0' in tekst:
        return False
    verschillend = set(tekst)
    if len(verschillend) != len(tekst):
        return False
    return int(max(tekst)) - int(min(tekst)) == len(tekst) - 1


class Str8ts:
    def __init__(self, bestandsnaam):
        self.cellen = {}
        self.rijcijfers = {}
        self.kolomcijfers = {}
        for i in range(9):
            self.rijcijfers[i] = set()
            self.kolomcijfers[i] = set()
        with open(bestandsnaam) as f:
            for r, regel in enumerate(f.read().splitlines()):
                for k, teken in enumerate(regel):
                    self.zet(r, k, Cel(teken))

    def zet(self, r, k, cel):
        self.cellen[(r, k)] = cel
        if cel.cijfer() is not None:
            self.rijcijfers[r].add(cel.cijfer())
            self.kolomcijfers[k].add(cel.cijfer())

    def __str__(self):
        uit = ''
        for r in range(9):
            for k in range(9):
                uit += str(self.cellen[(r, k)])
            uit += '\n'
        return uit[:-1]

    def horizontaal_getallen(self, r):
        getallen = {}
        k = 0
        while k < 9:
            if self.cellen[(r, k)].isgekleurd():
                k += 1
            else:
                start = k
                patroon = ''
                while k < 9 and not self.cellen[(r, k)].isgekleurd():
                    patroon += str(self.cellen[(r, k)])
                    k += 1
                getallen[start] = patroon
        return getallen

    def verticaal_getallen(self, k):
        getallen = {}
        r = 0
        while r < 9:
            if self.cellen[(r, k)].isgekleurd():
                r += 1
            else:
                start = r
                patroon = ''
                while r < 9 and not self.cellen[(r, k)].isgekleurd():
                    patroon += str(self.cellen[(r, k)])
                    r += 1
                getallen[start] = patroon
        return getallen

    def horizontaal_cijfers(self, r):
        return self.rijcijfers[r]

    def verticaal_cijfers(self, k):
        return self.kolomcijfers[k]

    def horizontaal_invullen(self, r, k, n):
        ok = (r, k) in self.cellen and isstraat(n) and k in self.horizontaal_getallen(r)
        if ok:
            patroon = self.horizontaal_getallen(r)[k]
            ok = len(patroon) == len(str(n))
        if ok:
            for i, (p, c) in enumerate(zip(patroon, str(n))):
                if p == '.':
                    if int(c) in self.rijcijfers[r]:
                        ok = False
                    if int(c) in self.kolomcijfers[k + i]:
                        ok = False
                elif p != c:
                    ok = False
        if not ok:
            raise AssertionError('ongeldige vulling')
        for i, c in enumerate(str(n)):
            self.zet(r, k + i, Cel(c))

    def verticaal_invullen(self, r, k, n):
        ok = (r, k) in self.cellen and isstraat(n) and r in self.verticaal_getallen(k)
        if ok:
            patroon = self.verticaal_getallen(k)[r]
            ok = len(patroon) == len(str(n))
        if ok:
            for i, (p, c) in enumerate(zip(patroon, str(n))):
                if p == '.':
                    if int(c) in self.kolomcijfers[k]:
                        ok = False
                    if int(c) in self.rijcijfers[r + i]:
                        ok = False
                elif p != c:
                    ok = False
        if not ok:
            raise AssertionError('ongeldige vulling')
        for i, c in enumerate(str(n)):
            self.zet(r + i, k, Cel(c))
