class Cel:
    def __init__(self, t):
        assert t in tuple('.#123456789ABCDEFGHI'), 'ongeldig symbool'
        self.t = t

    def isgekleurd(self):
        return self.t == '#' or self.t.isupper()

    def cijfer(self):
        if self.t.isupper():
            return 'ABCDEFGHI'.index(self.t) + 1
        if self.t.isdigit():
            return int(self.t)

    def __str__(self):
        return self.t


def isstraat(n):
    t = str(n)
    if t.count('0') > 0:
        return False
    i = int(min(t))
    while str(i) in t:
        i += 1
    # i is nu 1 meer dan het laatste cijfer van de reeks
    return i - int(min(t)) == len(t)


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as f:
            self.lijnen = f.read().splitlines()

    def __str__(self):
        # lijn per lijn afdrukken
        r = 0
        while r < len(self.lijnen):
            for k in range(9):
                print(self.lijnen[r][k], end='')
                if k == 9:
                    r += 1
            print()
        return ''

    def lijn(self, r=None, k=None):
        if k is None:
            return self.lijnen[r]
        return ''.join(lijn[k] for lijn in self.lijnen)

    def getallen(self, lijn):
        d = {}
        for i in range(len(lijn)):
            if not Cel(lijn[i]).isgekleurd():
                if i == 0 or Cel(lijn[i - 1]).isgekleurd():
                    begin = i
                    d[begin] = lijn[i]
                else:
                    d[begin] += lijn[i]
        return d

    def cijfers(self, lijn):
        return {Cel(t).cijfer() for t in lijn if Cel(t).cijfer()}

    def horizontaal_getallen(self, r):
        return self.getallen(self.lijn(r=r))

    def verticaal_getallen(self, k):
        return self.getallen(self.lijn(k=k))

    def horizontaal_cijfers(self, r):
        return self.cijfers(self.lijn(r=r))

    def verticaal_cijfers(self, k):
        return self.cijfers(self.lijn(k=k))

    def horizontaal_invullen(self, r, k, n):
        d = self.horizontaal_getallen(r)
        n = str(n)
        assert isstraat(int(n)) and k in d and len(d[k]) == len(n), 'ongeldige vulling'
        for i in range(len(n)):
            if d[k][i] != n[i]:
                assert d[k][i] == '.', 'ongeldige vulling'
                assert int(n[i]) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(n[i]) not in self.verticaal_cijfers(k + i), 'ongeldige vulling'
        lijn = list(self.lijnen[r])
        lijn[k:k + len(n)] = n
        self.lijnen[r] = ''.join(lijn)

    def verticaal_invullen(self, r, k, n):
        d = self.verticaal_getallen(k)
        n = str(n)
        assert isstraat(int(n)) and r in d and len(d[r]) == len(n), 'ongeldige vulling'
        for i in range(len(n)):
            if d[r][i] != n[i]:
                assert d[r][i] == '.', 'ongeldige vulling'
                assert int(n[i]) not in self.horizontaal_cijfers(r + i), 'ongeldige vulling'
                assert int(n[i]) not in self.verticaal_cijfers(k), 'ongeldige vulling'
        for i in range(len(n)):
            lijn = list(self.lijnen[r + i])
            lijn[k] = n[i]
            self.lijnen[r + i] = ''.join(lijn)
