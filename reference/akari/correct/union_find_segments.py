"""Union-find joins white cells into horizontal and vertical corridors, at most one lamp per corridor; prints a debug line before each refusal."""


class VerzamelingZoeker:

    def __init__(self):
        self.ouder = {}

    def zoek(self, x):
        self.ouder.setdefault(x, x)
        while self.ouder[x] != x:
            self.ouder[x] = self.ouder[self.ouder[x]]
            x = self.ouder[x]
        return x

    def verenig(self, x, y):
        self.ouder[self.zoek(x)] = self.zoek(y)


class Akari:

    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(locatie) as f:
            for lijn in f:
                r, k, m = lijn.rstrip().split(' ')
                self.zwarte_cellen[int(r), int(k)] = m
        self.wit = [
            (r, k) for r in range(rijen) for k in range(kolommen)
            if (r, k) not in self.zwarte_cellen
        ]
        self.horizontaal = VerzamelingZoeker()
        self.verticaal = VerzamelingZoeker()
        for r, k in self.wit:
            if k + 1 < kolommen and (r, k + 1) not in self.zwarte_cellen:
                self.horizontaal.verenig((r, k), (r, k + 1))
            if r + 1 < rijen and (r + 1, k) not in self.zwarte_cellen:
                self.verticaal.verenig((r, k), (r + 1, k))
        # gangen: wortel -> cellen
        self.gang_h = {}
        self.gang_v = {}
        for cel in self.wit:
            self.gang_h.setdefault(self.horizontaal.zoek(cel), set()).add(cel)
            self.gang_v.setdefault(self.verticaal.zoek(cel), set()).add(cel)

    def gang(self, cel, soort):
        if cel not in self.wit:
            return set()
        if soort == 'h':
            return self.gang_h[self.horizontaal.zoek(cel)]
        return self.gang_v[self.verticaal.zoek(cel)]

    def stralen(self, r, k):
        if (r, k) in self.zwarte_cellen:
            # vertrek bij de vier buren van de zwarte cel
            cellen = self.gang((r, k - 1), 'h') | self.gang((r, k + 1), 'h')
            cellen |= self.gang((r - 1, k), 'v') | self.gang((r + 1, k), 'v')
        else:
            cellen = self.gang((r, k), 'h') | self.gang((r, k), 'v')
        return cellen - {(r, k)}

    def verlicht(self):
        cellen = set()
        for lamp in self.lampen:
            cellen.update(self.gang(lamp, 'h'))
            cellen.update(self.gang(lamp, 'v'))
        return cellen - self.lampen

    def buren(self, r, k):
        return {(r, k - 1), (r, k + 1), (r - 1, k), (r + 1, k)}

    def weiger(self, reden):
        print('DEBUG', reden)
        raise AssertionError('ongeldige positie')

    def plaats_lamp(self, r, k):
        if (r, k) not in self.wit:
            self.weiger('geen witte cel')
        if self.gang((r, k), 'h') & self.lampen:
            self.weiger('al een lamp in deze rij')
        if self.gang((r, k), 'v') & self.lampen:
            self.weiger('al een lamp in deze kolom')
        for buur in self.buren(r, k):
            if buur in self.zwarte_cellen and self.zwarte_cellen[buur] != '?':
                lampen = self.buren(*buur) & self.lampen
                if len(lampen) >= int(self.zwarte_cellen[buur]):
                    self.weiger('te veel lampen')
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            self.weiger('geen lamp')
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel in self.wit:
            if not (self.gang(cel, 'h') | self.gang(cel, 'v')) & self.lampen:
                return False
        for cel, m in self.zwarte_cellen.items():
            if m in '01234':
                if len(self.buren(*cel) & self.lampen) != int(m):
                    return False
        return True

    def __str__(self):
        verlicht = self.verlicht()
        rooster = [['_'] * self.kolommen for _ in range(self.rijen)]
        for r, k in verlicht:
            rooster[r][k] = '*'
        for r, k in self.lampen:
            rooster[r][k] = 'L'
        for (r, k), m in self.zwarte_cellen.items():
            rooster[r][k] = m
        return '\n'.join(''.join(rij) for rij in rooster)
