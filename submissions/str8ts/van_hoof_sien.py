# Str8ts – Sien Van Hoof – gemaakt met Kladblok

class Cel:
    def __init__(self, symbool):
        assert symbool in ['.', '#'] + [str(i) for i in range(1, 10)] + [chr(65 + i) for i in range(9)], 'ongeldig symbool'
        self.symbool = symbool
        # de twee eigenschappen van de cel één keer bepalen
        self.gekleurd = symbool == '#' or symbool.isalpha()
        if symbool.isdigit():
            self.getal = int(symbool)
        elif symbool.isalpha():
            self.getal = ord(symbool) - 64
        else:
            self.getal = None

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.gekleurd

    def cijfer(self):
        return self.getal


def isstraat(n):
    resten = []
    while n:
        n, rest = divmod(n, 10)
        resten.append(rest)
    if not resten or 0 in resten or len(set(resten)) != len(resten):
        return False
    return max(resten) - min(resten) + 1 == len(resten)


class Str8ts:
    def __init__(self, locatie):
        f = open(locatie)
        tekst = f.read()
        f.close()
        self.cellen = []
        for woord in tekst.split():
            self.cellen.append([])
            for s in woord:
                self.cellen[-1].append(Cel(s))

    def __str__(self):
        regels = []
        for rij in self.cellen:
            regel = ''
            for cel in rij:
                regel += str(cel)
            regels.append(regel)
        return '\n'.join(regels)

    def lengte(self, r, k, richting):
        # aantal witte cellen vanaf (r, k) naar rechts ('h') of naar onder ('v')
        n = 0
        while r < 9 and k < 9 and not self.cellen[r][k].isgekleurd():
            n += 1
            if richting == 'h':
                k += 1
            else:
                r += 1
        return n

    def horizontaal_getallen(self, r):
        d = {}
        k = 0
        while k < 9:
            n = self.lengte(r, k, 'h')
            if n > 0:
                d[k] = ''.join(str(self.cellen[r][k + i]) for i in range(n))
            k += n + 1
        return d

    def verticaal_getallen(self, k):
        d = {}
        r = 0
        while r < 9:
            n = self.lengte(r, k, 'v')
            if n > 0:
                d[r] = ''.join(str(self.cellen[r + i][k]) for i in range(n))
            r += n + 1
        return d

    def horizontaal_cijfers(self, r):
        return set(cel.getal for cel in self.cellen[r] if cel.getal is not None)

    def verticaal_cijfers(self, k):
        return set(rij[k].getal for rij in self.cellen if rij[k].getal is not None)

    def past(self, r, k, c):
        if self.cellen[r][k].getal is not None:
            return self.cellen[r][k].getal == c
        return not (c in self.horizontaal_cijfers(r) or c in self.verticaal_cijfers(k))

    def horizontaal_invullen(self, r, k, n):
        s = str(n)
        assert isstraat(n), 'ongeldige vulling'
        assert 0 <= r <= 8 and 0 <= k <= 8, 'ongeldige vulling'
        assert len(self.horizontaal_getallen(r).get(k, '')) == len(s), 'ongeldige vulling'
        assert all(self.past(r, k + i, int(s[i])) for i in range(len(s))), 'ongeldige vulling'
        for i in range(len(s)):
            self.cellen[r][k + i] = Cel(s[i])

    def verticaal_invullen(self, r, k, n):
        s = str(n)
        assert isstraat(n), 'ongeldige vulling'
        assert 0 <= r <= 8 and 0 <= k <= 8, 'ongeldige vulling'
        assert len(self.verticaal_getallen(k).get(r, '')) == len(s), 'ongeldige vulling'
        assert all(self.past(r + i, k, int(s[i])) for i in range(len(s))), 'ongeldige vulling'
        for i in range(len(s)):
            self.cellen[r + i][k] = Cel(s[i])
