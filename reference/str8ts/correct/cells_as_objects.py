"""Grid of Cel objects with name mangling, assert with message, line[:-1] for the newline, no check below zero."""


class Cel:

    def __init__(self, symbool):
        assert isinstance(symbool, str) and len(symbool) == 1 and symbool in '123456789ABCDEFGHI.#', 'ongeldig symbool'
        self.__zwart = symbool in 'ABCDEFGHI#'
        self.__waarde = None
        if symbool in '123456789':
            self.__waarde = int(symbool)
        elif symbool in 'ABCDEFGHI':
            self.__waarde = 'ABCDEFGHI'.index(symbool) + 1

    def __str__(self):
        if self.__zwart:
            if self.__waarde is None:
                return '#'
            return 'ABCDEFGHI'[self.__waarde - 1]
        if self.__waarde is None:
            return '.'
        return str(self.__waarde)

    def isgekleurd(self):
        return self.__zwart

    def cijfer(self):
        return self.__waarde

    def zet(self, waarde):
        self.__waarde = waarde


def isstraat(n):
    cijfers = sorted(int(c) for c in str(n))
    if 0 in cijfers:
        return False
    for i in range(1, len(cijfers)):
        if cijfers[i] != cijfers[i - 1] + 1:
            return False
    return True


class Str8ts:

    def __init__(self, bestand):
        self.__rooster = []
        f = open(bestand)
        for regel in f:
            self.__rooster.append([Cel(c) for c in regel[:-1]])
        f.close()

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.__rooster)

    def __rij(self, r):
        return self.__rooster[r]

    def __kolom(self, k):
        return [rij[k] for rij in self.__rooster]

    def __getallen(self, cellen):
        # zoek de stukken witte cellen
        resultaat = {}
        begin = None
        for i in range(len(cellen)):
            if cellen[i].isgekleurd():
                begin = None
            else:
                if begin is None:
                    begin = i
                    resultaat[begin] = ''
                resultaat[begin] += str(cellen[i])
        return resultaat

    def __cijfers(self, cellen):
        return {cel.cijfer() for cel in cellen if cel.cijfer() is not None}

    def horizontaal_getallen(self, r):
        return self.__getallen(self.__rij(r))

    def verticaal_getallen(self, k):
        return self.__getallen(self.__kolom(k))

    def horizontaal_cijfers(self, r):
        return self.__cijfers(self.__rij(r))

    def verticaal_cijfers(self, k):
        return self.__cijfers(self.__kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert r < 9 and k < 9, 'ongeldige vulling'
        getallen = self.horizontaal_getallen(r)
        assert k in getallen, 'ongeldige vulling'
        patroon = getallen[k]
        tekst = str(n)
        assert len(tekst) == len(patroon), 'ongeldige vulling'
        in_rij = self.horizontaal_cijfers(r)
        for i in range(len(tekst)):
            if patroon[i] == '.':
                assert int(tekst[i]) not in in_rij, 'ongeldige vulling'
                assert int(tekst[i]) not in self.verticaal_cijfers(k + i), 'ongeldige vulling'
            else:
                assert patroon[i] == tekst[i], 'ongeldige vulling'
        for i in range(len(tekst)):
            self.__rooster[r][k + i].zet(int(tekst[i]))

    def verticaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert r < 9 and k < 9, 'ongeldige vulling'
        getallen = self.verticaal_getallen(k)
        assert r in getallen, 'ongeldige vulling'
        patroon = getallen[r]
        tekst = str(n)
        assert len(tekst) == len(patroon), 'ongeldige vulling'
        in_kolom = self.verticaal_cijfers(k)
        for i in range(len(tekst)):
            if patroon[i] == '.':
                assert int(tekst[i]) not in in_kolom, 'ongeldige vulling'
                assert int(tekst[i]) not in self.horizontaal_cijfers(r + i), 'ongeldige vulling'
            else:
                assert patroon[i] == tekst[i], 'ongeldige vulling'
        for i in range(len(tekst)):
            self.__rooster[r + i][k].zet(int(tekst[i]))
