# Lies Goossens, 1ste bachelor

class Akari:

    def __init__(self, rijen, kolommen, tekstbestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.tekstbestand = tekstbestand
        self.zwarte_cellen = self.maak_zwarte_cellen()
        self.lampen = set()

    def maak_zwarte_cellen(self):
        zwart = {}
        bestand = open(self.tekstbestand)
        lijn = bestand.readline()
        while lijn.strip() != '':
            delen = lijn.split()
            zwart[int(delen[0]), int(delen[1])] = delen[2]
            lijn = bestand.readline()
        return zwart

    def stralen(self, r, k):
        # hele rij en hele kolom, behalve de zwarte cellen
        cellen = set()
        for i in range(self.rijen):
            cellen.add((i, k))
        for j in range(self.kolommen):
            cellen.add((r, j))
        for zwart in self.zwarte_cellen:
            if zwart in cellen:
                cellen.remove(zwart)
        cellen.discard((r, k))
        return cellen

    def verlicht(self):
        cellen = set()
        for lamp in self.lampen:
            cellen |= self.stralen(lamp[0], lamp[1])
        return cellen

    def plaats_lamp(self, r, k):
        assert r in range(self.rijen), 'ongeldige positie'
        assert k in range(self.kolommen), 'ongeldige positie'
        assert (r, k) not in self.zwarte_cellen, 'ongeldige positie!'
        assert (r, k) not in self.lampen, 'er staat al een lamp'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for buur in ((r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)):
            if buur in self.zwarte_cellen:
                if self.zwarte_cellen[buur] == '0':
                    assert False, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        if '_' in str(self):
            return 'False'
        else:
            return 'True'

    def __str__(self):
        rooster = [['_'] * self.kolommen for i in range(self.rijen)]
        for r, k in self.verlicht():
            rooster[r][k] = '*'
        for r, k in self.lampen:
            rooster[r][k] = 'L'
        for r, k in self.zwarte_cellen:
            rooster[r][k] = self.zwarte_cellen[r, k]
        lijnen = []
        for rij in rooster:
            lijnen.append(''.join(rij))
        return '\n'.join(lijnen)
