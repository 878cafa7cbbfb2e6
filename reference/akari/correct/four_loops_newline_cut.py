"""Beginner: line[:-1] for the newline, four copied loops, lists searched with in, no check below zero."""


class Akari:

    def __init__(self, aantal_rijen, aantal_kolommen, locatie):
        self.aantal_rijen = aantal_rijen
        self.aantal_kolommen = aantal_kolommen
        self.zwarte_cellen = dict()
        self.lampen = set()
        # bestand inlezen
        bestand = open(locatie, "r")
        for lijn in bestand:
            lijn = lijn[:-1]
            stukken = lijn.split(" ")
            rij = int(stukken[0])
            kolom = int(stukken[1])
            self.zwarte_cellen[(rij, kolom)] = stukken[2]
        bestand.close()

    def stralen(self, r, k):
        lijst = []
        # naar boven
        i = r - 1
        while i >= 0 and (i, k) not in self.zwarte_cellen:
            lijst.append((i, k))
            i -= 1
        # naar onder
        i = r + 1
        while i < self.aantal_rijen and (i, k) not in self.zwarte_cellen:
            lijst.append((i, k))
            i += 1
        # naar links
        j = k - 1
        while j >= 0 and (r, j) not in self.zwarte_cellen:
            lijst.append((r, j))
            j -= 1
        # naar rechts
        j = k + 1
        while j < self.aantal_kolommen and (r, j) not in self.zwarte_cellen:
            lijst.append((r, j))
            j += 1
        return set(lijst)

    def verlicht(self):
        lijst = []
        for lamp in self.lampen:
            for cel in self.stralen(lamp[0], lamp[1]):
                if cel not in lijst:
                    lijst.append(cel)
        return set(lijst)

    def tel_lampen(self, r, k):
        teller = 0
        if (r - 1, k) in self.lampen:
            teller += 1
        if (r + 1, k) in self.lampen:
            teller += 1
        if (r, k - 1) in self.lampen:
            teller += 1
        if (r, k + 1) in self.lampen:
            teller += 1
        return teller

    def vol(self, r, k):
        # is de zwarte cel al vol?
        if (r, k) in self.zwarte_cellen:
            markering = self.zwarte_cellen[(r, k)]
            if markering != "?":
                if self.tel_lampen(r, k) == int(markering):
                    return True
        return False

    def plaats_lamp(self, r, k):
        assert r < self.aantal_rijen, "ongeldige positie"
        assert k < self.aantal_kolommen, "ongeldige positie"
        assert (r, k) not in self.zwarte_cellen, "ongeldige positie"
        assert (r, k) not in self.lampen, "ongeldige positie"
        assert (r, k) not in self.verlicht(), "ongeldige positie"
        assert not self.vol(r - 1, k), "ongeldige positie"
        assert not self.vol(r + 1, k), "ongeldige positie"
        assert not self.vol(r, k - 1), "ongeldige positie"
        assert not self.vol(r, k + 1), "ongeldige positie"
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, "ongeldige positie"
        self.lampen.remove((r, k))

    def isopgelost(self):
        verlicht = self.verlicht()
        for r in range(self.aantal_rijen):
            for k in range(self.aantal_kolommen):
                if (r, k) not in self.zwarte_cellen:
                    if (r, k) not in self.lampen and (r, k) not in verlicht:
                        return False
        for cel in self.zwarte_cellen:
            if self.zwarte_cellen[cel] != "?":
                if self.tel_lampen(cel[0], cel[1]) != int(self.zwarte_cellen[cel]):
                    return False
        return True

    def __str__(self):
        verlicht = self.verlicht()
        tekst = ""
        for r in range(self.aantal_rijen):
            for k in range(self.aantal_kolommen):
                if (r, k) in self.zwarte_cellen:
                    tekst += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    tekst += "L"
                elif (r, k) in verlicht:
                    tekst += "*"
                else:
                    tekst += "_"
            tekst += "\n"
        return tekst[:-1]
