class Akari:

    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        file = open(bestand, "r")
        for line in file:
            line = line.strip().split(" ")
            self.zwarte_cellen[(int(line[0]), int(line[1]))] = line[2]
        file.close()

    def stralen(self, r, k):
        stralen = set()
        rij = r + 1
        while rij < self.rijen and (rij, k) not in self.zwarte_cellen:
            stralen.add((rij, k))
            rij = rij + 1
        rij = r - 1
        while rij >= 0 and (rij, k) not in self.zwarte_cellen:
            stralen.add((rij, k))
            rij = rij - 1
        kolom = k + 1
        while kolom < self.kolommen and (r, kolom) not in self.zwarte_cellen:
            stralen.add((r, kolom))
            kolom = kolom + 1
        kolom = k - 1
        while kolom >= 0 and (r, kolom) not in self.zwarte_cellen:
            stralen.add((r, kolom))
            kolom = kolom - 1
        return stralen

    def verlicht(self):
        verlicht = set()
        for lamp in self.lampen:
            for cel in self.stralen(lamp[0], lamp[1]):
                verlicht.add(cel)
        return verlicht

    def plaats_lamp(self, r, k):
        if r < 0 or r > self.rijen - 1 or k < 0 or k > self.kolommen - 1:
            raise AssertionError("ongeldige positie")
        if (r, k) in self.zwarte_cellen:
            raise AssertionError("ongeldige positie")
        if (r, k) in self.lampen:
            raise AssertionError("ongeldige positie")
        if (r, k) in self.verlicht():
            raise AssertionError("ongeldige positie")
        # TODO getallen op de zwarte cellen nog controleren
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if (r, k) not in self.lampen:
            raise AssertionError("ongeldige positie")
        self.lampen.discard((r, k))

    def isopgelost(self):
        # geen tijd meer gehad...
        pass

    def __str__(self):
        string = ""
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    string = string + self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    string = string + "L"
                elif (r, k) in self.verlicht():
                    string = string + "*"
                else:
                    string = string + "_"
            string = string + "\n"
        return string.strip()
