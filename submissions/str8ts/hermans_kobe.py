class Cel:

    def __init__(self, s):
        self.s = s
        if not (len(s) == 1 and s in '#.ABCDEFGHI123456789'):
            raise AssertionError('ongeldig symbool')

    def __str__(self):
        return self.s

    def isgekleurd(self):
        return self.s in '#ABCDEFGHI'

    def cijfer(self):
        if self.s in '123456789':
            return int(self.s)
        elif self.s == '.' or self.s == '#':
            return None
        return {'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'I': 9}[self.s]


# de puzzel inlezen die we gebruiken om te testen
invoer = open('C:\\Users\\kobe\\Documents\\python\\reeks9\\puzzel.txt', 'r')
inhoud = invoer.readlines()


def isstraat(n):
    s = set(str(n))
    if '0' in s or len(s) < len(str(n)):
        return False
    return int(max(s)) - int(min(s)) + 1 == len(s)


class Str8ts:

    def __init__(self, locatie):
        self.inhoud = [regel.strip() for regel in open(locatie).readlines() if regel.strip()]

    def __str__(self):
        return '\n'.join(self.inhoud)

    def horizontaal_getallen(self, r):
        d = {}
        vorige = '#'
        for k in range(9):
            if not Cel(self.inhoud[r][k]).isgekleurd():
                if Cel(vorige).isgekleurd():
                    start = k
                    d[start] = ''
                d[start] += self.inhoud[r][k]
            vorige = self.inhoud[r][k]
        return d

    def verticaal_getallen(self, k):
        d = {}
        vorige = '#'
        for r in range(9):
            if not Cel(self.inhoud[r][k]).isgekleurd():
                if Cel(vorige).isgekleurd():
                    start = r
                    d[start] = ''
                d[start] += self.inhoud[r][k]
            vorige = self.inhoud[r][k]
        return d

    def horizontaal_cijfers(self, r):
        return {Cel(s).cijfer() for s in self.inhoud[r] if s not in '.#'}

    def verticaal_cijfers(self, k):
        return {Cel(rij[k]).cijfer() for rij in self.inhoud if rij[k] not in '.#'}

    def horizontaal_invullen(self, r, k, n):
        getallen = self.horizontaal_getallen(r)
        assert isstraat(n), 'ongeldige vulling'
        assert k in getallen and len(getallen[k]) == len(str(n)), 'ongeldige vulling'
        for i in range(len(str(n))):
            if getallen[k][i] == '.':
                assert int(str(n)[i]) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(str(n)[i]) not in self.verticaal_cijfers(k + i), 'ongeldige vulling'
            else:
                assert str(n)[i] == getallen[k][i], 'ongeldige vulling'
        self.inhoud[r] = self.inhoud[r][:k] + str(n) + self.inhoud[r][k + len(str(n)):]

    def verticaal_invullen(self, r, k, n):
        getallen = self.verticaal_getallen(k)
        assert isstraat(n), 'ongeldige vulling'
        assert r in getallen and len(getallen[r]) == len(str(n)), 'ongeldige vulling'
        for i in range(len(str(n))):
            if getallen[r][i] == '.':
                assert int(str(n)[i]) not in self.horizontaal_cijfers(r + i), 'ongeldige vulling'
                assert int(str(n)[i]) not in self.verticaal_cijfers(k), 'ongeldige vulling'
            else:
                assert str(n)[i] == getallen[r][i], 'ongeldige vulling'
        for i in range(len(str(n))):
            self.inhoud[r + i] = self.inhoud[r + i][:k] + str(n)[i] + self.inhoud[r + i][k + 1:]
