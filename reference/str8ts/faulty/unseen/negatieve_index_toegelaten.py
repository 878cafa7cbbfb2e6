"""Een negatief rij- of kolomnummer telt vanaf het einde, zoals bij een lijst, in plaats van geweigerd te worden."""
# verliest: horizontaal_invullen, verticaal_invullen

class Cel:

    """
    Een cel uit het bord van een str8ts puzzel.
    """

    def __init__(self, symbool):
        # alleen de 20 gekende symbolen zijn toegelaten
        assert symbool in list('.#123456789ABCDEFGHI'), 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool == '#' or self.symbool in 'ABCDEFGHI'

    def cijfer(self):
        if self.symbool in '.#':
            return None
        if self.symbool in '123456789':
            return int(self.symbool)
        return ord(self.symbool) - ord('A') + 1


def isstraat(n):
    """
    Geeft aan of n een straat is.
    """
    cijfers = sorted(str(n))
    # nul mag niet voorkomen
    if '0' in cijfers:
        return False
    for i in range(1, len(cijfers)):
        if int(cijfers[i]) != int(cijfers[i - 1]) + 1:
            return False
    return True


class Str8ts:

    """
    Rooster van een str8ts puzzel.
    """

    def __init__(self, locatie):
        self.bord = []
        with open(locatie) as bestand:
            for regel in bestand:
                regel = regel.strip()
                if regel:
                    self.bord.append([Cel(symbool) for symbool in regel])

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.bord)

    def rij(self, r):
        return self.bord[r]

    def kolom(self, k):
        return [rij[k] for rij in self.bord]

    def getallen(self, cellen):
        # hulpmethode: werkt zowel voor een rij als voor een kolom
        resultaat = {}
        start = None
        for i, cel in enumerate(cellen):
            if cel.isgekleurd():
                start = None
            else:
                if start is None:
                    start = i
                    resultaat[start] = ''
                resultaat[start] += str(cel)
        return resultaat

    def cijfers(self, cellen):
        return {cel.cijfer() for cel in cellen if cel.cijfer() is not None}

    def horizontaal_getallen(self, r):
        return self.getallen(self.rij(r))

    def verticaal_getallen(self, k):
        return self.getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return self.cijfers(self.rij(r))

    def verticaal_cijfers(self, k):
        return self.cijfers(self.kolom(k))

    def invullen(self, posities, n):
        n = str(n)
        assert len(posities) == len(n), 'ongeldige vulling'
        for (r, k), c in zip(posities, n):
            oud = self.bord[r][k].cijfer()
            if oud is None:
                assert int(c) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(c) not in self.verticaal_cijfers(k), 'ongeldige vulling'
            else:
                assert oud == int(c), 'ongeldige vulling'
        # alles is in orde, nu pas invullen
        for (r, k), c in zip(posities, n):
            self.bord[r][k] = Cel(c)

    def horizontaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert r < 9 and k < 9, 'ongeldige vulling'
        assert k in self.horizontaal_getallen(r), 'ongeldige vulling'
        lengte = len(self.horizontaal_getallen(r)[k])
        self.invullen([(r, k + i) for i in range(lengte)], n)

    def verticaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert r < 9 and k < 9, 'ongeldige vulling'
        assert r in self.verticaal_getallen(k), 'ongeldige vulling'
        lengte = len(self.verticaal_getallen(k)[r])
        self.invullen([(r + i, k) for i in range(lengte)], n)
