class Cel:
    def __init__(self, s):
        self.zwart = False
        self.waarde = None
        if s == '#':
            self.zwart = True
        elif s in list('ABCDEFGHI'):
            self.zwart = True
            self.waarde = ord(s) - 64
        elif s in list('123456789'):
            self.waarde = int(s)
        else:
            assert s == '.', 'ongeldig symbool'

    def __str__(self):
        if self.waarde is None:
            return '#' if self.zwart else '.'
        return chr(self.waarde + 64) if self.zwart else str(self.waarde)

    def isgekleurd(self):
        return self.zwart

    def cijfer(self):
        return self.waarde


def isstraat(n):
    # getal -> gesorteerde cijfers, die moeten telkens 1 verschillen
    c = sorted([int(i) for i in str(n)])
    if 0 in c:
        return False
    return all(c[i + 1] - c[i] == 1 for i in range(len(c) - 1))


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as f:
            self.veld = [[Cel(s) for s in lijn.rstrip('\n')] for lijn in f]
        # lege lijnen op het einde wegdoen
        while self.veld[-1] == []:
            self.veld.pop()

    def __str__(self):
        return '\n'.join([''.join([str(c) for c in rij]) for rij in self.veld])

    # -- hulpmethoden: alles werkt op een lijst van 9 posities

    def posities_rij(self, r):
        return [(r, k) for k in range(9)]

    def posities_kolom(self, k):
        return [(r, k) for r in range(9)]

    def zoek_getallen(self, posities):
        getallen, bezig = {}, None
        for i, (r, k) in enumerate(posities):
            cel = self.veld[r][k]
            if cel.isgekleurd():
                bezig = None
                continue
            if bezig is None:
                bezig = i
                getallen[bezig] = ''
            getallen[bezig] += str(cel)
        return getallen

    def zoek_cijfers(self, posities):
        gevonden = set()
        for r, k in posities:
            c = self.veld[r][k].cijfer()
            if c:
                gevonden.add(c)
        return gevonden

    def vul(self, posities, begin, n):
        fout = 'ongeldige vulling'
        getallen = self.zoek_getallen(posities)
        assert isstraat(n), fout
        assert begin in getallen, fout
        n = str(n)
        assert len(n) == len(getallen[begin]), fout
        posities = posities[begin:begin + len(n)]
        for c, (r, k) in zip(n, posities):
            staat_er = self.veld[r][k].cijfer()
            if staat_er is not None:
                assert staat_er == int(c), fout
            else:
                assert int(c) not in self.horizontaal_cijfers(r), fout
                assert int(c) not in self.verticaal_cijfers(k), fout
        for c, (r, k) in zip(n, posities):
            self.veld[r][k] = Cel(c)

    # -- gevraagde methoden

    def horizontaal_getallen(self, r):
        return self.zoek_getallen(self.posities_rij(r))

    def verticaal_getallen(self, k):
        return self.zoek_getallen(self.posities_kolom(k))

    def horizontaal_cijfers(self, r):
        return self.zoek_cijfers(self.posities_rij(r))

    def verticaal_cijfers(self, k):
        return self.zoek_cijfers(self.posities_kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert 0 <= r <= 8, 'ongeldige vulling'
        self.vul(self.posities_rij(r), k, n)

    def verticaal_invullen(self, r, k, n):
        assert 0 <= k <= 8, 'ongeldige vulling'
        self.vul(self.posities_kolom(k), r, n)
