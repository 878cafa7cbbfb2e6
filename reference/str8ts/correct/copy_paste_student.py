"""Clumsy repeated code with while loops and flags, two separate lists for colour and digit."""

class Cel:

    def __init__(self, x):
        if type(x) is not str:
            raise AssertionError("ongeldig symbool")
        if x == '' or len(x) > 1:
            raise AssertionError("ongeldig symbool")
        if x not in '#.123456789ABCDEFGHI':
            raise AssertionError("ongeldig symbool")
        self.x = x

    def __str__(self):
        return f'{self.x}'

    def isgekleurd(self):
        if self.x == '.':
            return False
        if self.x in '123456789':
            return False
        return True

    def cijfer(self):
        if self.x == '.' or self.x == '#':
            return None
        if self.x in '123456789':
            return int(self.x)
        teller = 1
        for letter in 'ABCDEFGHI':
            if letter == self.x:
                return teller
            teller += 1


def isstraat(n):
    getal = str(n)
    # nul mag niet
    if '0' in getal:
        return False
    # tel elk cijfer
    aantal = [0] * 10
    for c in getal:
        aantal[int(c)] += 1
    # geen dubbels
    for a in aantal:
        if a > 1:
            return False
    # geen gaten
    kleinste = 1
    while aantal[kleinste] == 0:
        kleinste += 1
    grootste = 9
    while aantal[grootste] == 0:
        grootste -= 1
    for c in range(kleinste, grootste + 1):
        if aantal[c] == 0:
            return False
    return True


class Str8ts:

    def __init__(self, locatie):
        bestand = open(locatie, 'r')
        inhoud = bestand.read()
        bestand.close()
        self.kleur = []
        self.cijf = []
        for lijn in inhoud.splitlines():
            kleurrij = []
            cijferrij = []
            for teken in lijn:
                cel = Cel(teken)
                kleurrij.append(cel.isgekleurd())
                cijferrij.append(cel.cijfer())
            self.kleur.append(kleurrij)
            self.cijf.append(cijferrij)

    def __str__(self):
        lijnen = []
        for r in range(9):
            lijn = ''
            for k in range(9):
                if self.kleur[r][k] == True:
                    if self.cijf[r][k] == None:
                        lijn = lijn + '#'
                    else:
                        lijn = lijn + 'ABCDEFGHI'[self.cijf[r][k] - 1]
                else:
                    if self.cijf[r][k] == None:
                        lijn = lijn + '.'
                    else:
                        lijn = lijn + str(self.cijf[r][k])
            lijnen.append(lijn)
        return '\n'.join(lijnen)

    def horizontaal_getallen(self, r):
        resultaat = dict()
        for k in range(9):
            if self.kleur[r][k] == False and (k == 0 or self.kleur[r][k - 1] == True):
                patroon = ''
                kk = k
                while kk <= 8 and self.kleur[r][kk] == False:
                    if self.cijf[r][kk] == None:
                        patroon += '.'
                    else:
                        patroon += str(self.cijf[r][kk])
                    kk += 1
                resultaat[k] = patroon
        return resultaat

    def verticaal_getallen(self, k):
        resultaat = dict()
        for r in range(9):
            if self.kleur[r][k] == False and (r == 0 or self.kleur[r - 1][k] == True):
                patroon = ''
                rr = r
                while rr <= 8 and self.kleur[rr][k] == False:
                    if self.cijf[rr][k] == None:
                        patroon += '.'
                    else:
                        patroon += str(self.cijf[rr][k])
                    rr += 1
                resultaat[r] = patroon
        return resultaat

    def horizontaal_cijfers(self, r):
        cijfers = set()
        for k in range(9):
            if self.cijf[r][k] != None:
                cijfers.add(self.cijf[r][k])
        return cijfers

    def verticaal_cijfers(self, k):
        cijfers = set()
        for r in range(9):
            if self.cijf[r][k] != None:
                cijfers.add(self.cijf[r][k])
        return cijfers

    def horizontaal_invullen(self, r, k, n):
        # voorwaarde 1: straat
        if isstraat(n) == False:
            raise AssertionError("ongeldige vulling")
        # voorwaarde 2: eerste cel
        if r < 0 or r > 8 or k < 0 or k > 8:
            raise AssertionError("ongeldige vulling")
        if self.kleur[r][k] == True:
            raise AssertionError("ongeldige vulling")
        if k > 0 and self.kleur[r][k - 1] == False:
            raise AssertionError("ongeldige vulling")
        # voorwaarde 3: lengte
        lengte = 0
        while k + lengte <= 8 and self.kleur[r][k + lengte] == False:
            lengte += 1
        if lengte != len(str(n)):
            raise AssertionError("ongeldige vulling")
        # voorwaarde 4: ingevulde cijfers
        for i in range(lengte):
            if self.cijf[r][k + i] != None:
                if self.cijf[r][k + i] != int(str(n)[i]):
                    raise AssertionError("ongeldige vulling")
        # voorwaarde 5: nieuwe cijfers
        for i in range(lengte):
            if self.cijf[r][k + i] == None:
                for kk in range(9):
                    if self.cijf[r][kk] == int(str(n)[i]):
                        raise AssertionError("ongeldige vulling")
                for rr in range(9):
                    if self.cijf[rr][k + i] == int(str(n)[i]):
                        raise AssertionError("ongeldige vulling")
        # nu mogen we invullen
        for i in range(lengte):
            self.cijf[r][k + i] = int(str(n)[i])

    def verticaal_invullen(self, r, k, n):
        # voorwaarde 1: straat
        if isstraat(n) == False:
            raise AssertionError("ongeldige vulling")
        # voorwaarde 2: eerste cel
        if r < 0 or r > 8 or k < 0 or k > 8:
            raise AssertionError("ongeldige vulling")
        if self.kleur[r][k] == True:
            raise AssertionError("ongeldige vulling")
        if r > 0 and self.kleur[r - 1][k] == False:
            raise AssertionError("ongeldige vulling")
        # voorwaarde 3: lengte
        lengte = 0
        while r + lengte <= 8 and self.kleur[r + lengte][k] == False:
            lengte += 1
        if lengte != len(str(n)):
            raise AssertionError("ongeldige vulling")
        # voorwaarde 4: ingevulde cijfers
        for i in range(lengte):
            if self.cijf[r + i][k] != None:
                if self.cijf[r + i][k] != int(str(n)[i]):
                    raise AssertionError("ongeldige vulling")
        # voorwaarde 5: nieuwe cijfers
        for i in range(lengte):
            if self.cijf[r + i][k] == None:
                for rr in range(9):
                    if self.cijf[rr][k] == int(str(n)[i]):
                        raise AssertionError("ongeldige vulling")
                for kk in range(9):
                    if self.cijf[r + i][kk] == int(str(n)[i]):
                        raise AssertionError("ongeldige vulling")
        # nu mogen we invullen
        for i in range(lengte):
            self.cijf[r + i][k] = int(str(n)[i])
