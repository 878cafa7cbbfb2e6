class Akari:

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.bestand = bestand
        self.lampen = set()
        self.zwarte_cellen = {}
        lijnen = open(self.bestand, 'r').readlines()
        for i in range(len(lijnen)):
            lijn = lijnen[i].split()
            if len(lijn) == 3:
                self.zwarte_cellen[(int(lijn[0]), int(lijn[1]))] = lijn[2]

    def isgeldig(self, r, k):
        return (0 <= r < self.rijen) and (0 <= k < self.kolommen) and ((r, k) not in self.zwarte_cellen)

    def stralen(self, r, k):
        st = set()
        for stap in (-1, 1):
            rij = r + stap
            while self.isgeldig(rij, k):
                st.add((rij, k))
                rij += stap
            kol = k + stap
            while self.isgeldig(r, kol):
                st.add((r, kol))
                kol += stap
        return st

    def verlicht(self):
        vl = set()
        for lamp in self.lampen:
            vl.update(self.stralen(*lamp))
        return vl

    def aantalLampen(self, r, k):
        return int((r - 1, k) in self.lampen) + int((r + 1, k) in self.lampen) + int((r, k - 1) in self.lampen) + int((r, k + 1) in self.lampen)

    def plaats_lamp(self, r, k):
        assert self.isgeldig(r, k) and (r, k) not in self.lampen and (r, k) not in self.verlicht(), 'ongeldige positie'
        for z in self.zwarte_cellen:
            if abs(z[0] - r) + abs(z[1] - k) == 1 and self.zwarte_cellen[z] != '?':
                assert self.aantalLampen(z[0], z[1]) + 1 <= int(self.zwarte_cellen[z]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for z in self.zwarte_cellen:
            if self.zwarte_cellen[z] != '?' and self.aantalLampen(z[0], z[1]) != int(self.zwarte_cellen[z]):
                return False
        return '_' not in str(self)

    def __str__(self):
        vl = self.verlicht()
        s = ''
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen: s += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen: s += 'L'
                elif (r, k) in vl: s += '*'
                else: s += '_'
            s += '\n'
        return s.rstrip()

puzzel = Akari(6, 6, 'C:\\Users\\Nina\\Documents\\Informatica\\reeks09\\akari.txt')
print(puzzel)
