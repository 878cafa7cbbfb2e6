"""Counters kept up to date: lamps still to place per numbered cell and the set of lit cells mutated in place, f.read().splitlines()."""


class Akari:

    def __init__(self, aantalRijen, aantalKolommen, bestandLocatie):
        self.aantalRijen = aantalRijen
        self.aantalKolommen = aantalKolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        self.licht = set()          # verlichte cellen
        self.resterend = {}         # zwarte cel met getal -> nog te plaatsen lampen
        with open(bestandLocatie, 'r') as bestand:
            inhoud = bestand.read()
        for regel in inhoud.splitlines():
            rij, kolom, markering = regel.split(' ')
            cel = (int(rij), int(kolom))
            self.zwarte_cellen[cel] = markering
            if markering != '?':
                self.resterend[cel] = int(markering)

    def bestaat(self, r, k):
        return r in range(self.aantalRijen) and k in range(self.aantalKolommen)

    def stralen(self, r, k):
        if not self.bestaat(r, k):
            return set()
        cellen = set()
        for stapR, stapK in [(1, 0), (0, 1), (-1, 0), (0, -1)]:
            r2, k2 = r + stapR, k + stapK
            while self.bestaat(r2, k2) and (r2, k2) not in self.zwarte_cellen:
                cellen.add((r2, k2))
                r2, k2 = r2 + stapR, k2 + stapK
        return cellen

    def verlicht(self):
        return self.licht

    def genummerdeBuren(self, r, k):
        buren = []
        for cel in [(r, k + 1), (r, k - 1), (r + 1, k), (r - 1, k)]:
            if cel in self.resterend:
                buren.append(cel)
        return buren

    def lampInRij(self, r, k):
        # kijk naar links en naar rechts
        for stap in (-1, 1):
            k2 = k + stap
            while self.bestaat(r, k2) and (r, k2) not in self.zwarte_cellen:
                if (r, k2) in self.lampen:
                    return True
                k2 += stap
        return False

    def lampInKolom(self, r, k):
        # kijk naar boven en naar onder
        for stap in (-1, 1):
            r2 = r + stap
            while self.bestaat(r2, k) and (r2, k) not in self.zwarte_cellen:
                if (r2, k) in self.lampen:
                    return True
                r2 += stap
        return False

    def plaats_lamp(self, r, k):
        assert self.bestaat(r, k), 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.licht, 'ongeldige positie'
        for buur in self.genummerdeBuren(r, k):
            assert self.resterend[buur] > 0, 'ongeldige positie'
        for buur in self.genummerdeBuren(r, k):
            self.resterend[buur] -= 1
        self.lampen.add((r, k))
        self.licht.update(self.stralen(r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))
        for buur in self.genummerdeBuren(r, k):
            self.resterend[buur] += 1
        for r2, k2 in self.stralen(r, k):
            # blijft de cel verlicht door een andere lamp?
            if not self.lampInRij(r2, k2) and not self.lampInKolom(r2, k2):
                self.licht.remove((r2, k2))

    def isopgelost(self):
        for getal in self.resterend.values():
            if getal > 0:
                return False
        wit = self.aantalRijen * self.aantalKolommen - len(self.zwarte_cellen)
        return len(self.licht) + len(self.lampen) == wit

    def __str__(self):
        regels = []
        for r in range(self.aantalRijen):
            regel = ''
            for k in range(self.aantalKolommen):
                cel = (r, k)
                regel += (
                    self.zwarte_cellen[cel] if cel in self.zwarte_cellen
                    else 'L' if cel in self.lampen
                    else '*' if cel in self.licht
                    else '_'
                )
            regels.append(regel)
        return '\n'.join(regels)
