"""Cells are objects with classes in a grid of lists, lampen and zwarte_cellen are read-only properties worked out anew, own subclass of AssertionError; stralen checks its position."""


class OngeldigePositie(AssertionError):

    def __init__(self):
        super().__init__('ongeldige positie')


class Cel:

    def __init__(self, rij, kolom):
        self.rij = rij
        self.kolom = kolom
        self.buren = []

    @property
    def positie(self):
        return (self.rij, self.kolom)


class WitteCel(Cel):

    doorlatend = True

    def __init__(self, rij, kolom):
        super().__init__(rij, kolom)
        self.lamp = False
        self.bronnen = 0

    def teken(self):
        if self.lamp:
            return 'L'
        if self.bronnen > 0:
            return '*'
        return '_'

    def in_orde(self):
        return self.lamp or self.bronnen > 0

    def kan_lamp_bij(self):
        return True


class ZwarteCel(Cel):

    doorlatend = False

    def __init__(self, rij, kolom, markering):
        super().__init__(rij, kolom)
        self.markering = markering

    def aantal_lampen(self):
        return sum(1 for buur in self.buren if buur.doorlatend and buur.lamp)

    def teken(self):
        return self.markering

    def in_orde(self):
        if self.markering == '?':
            return True
        return self.aantal_lampen() == int(self.markering)

    def kan_lamp_bij(self):
        if self.markering == '?':
            return True
        return self.aantal_lampen() < int(self.markering)


class Akari:

    def __init__(self, rijen, kolommen, bestandsnaam):
        self.rijen, self.kolommen = rijen, kolommen
        self.rooster = [[WitteCel(r, k) for k in range(kolommen)] for r in range(rijen)]
        with open(bestandsnaam) as invoer:
            for regel in invoer:
                r, k, markering = regel.strip().split(' ')
                self.rooster[int(r)][int(k)] = ZwarteCel(int(r), int(k), markering)
        # elke cel leert haar buren kennen
        for cel in self.cellen():
            for dr, dk in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                buur = self.cel(cel.rij + dr, cel.kolom + dk)
                if buur is not None:
                    cel.buren.append(buur)

    def cellen(self):
        for rij in self.rooster:
            yield from rij

    def cel(self, r, k):
        if r < 0 or r >= self.rijen:
            return None
        if k < 0 or k >= self.kolommen:
            return None
        return self.rooster[r][k]

    @property
    def zwarte_cellen(self):
        return {cel.positie: cel.markering for cel in self.cellen() if not cel.doorlatend}

    @property
    def lampen(self):
        return {cel.positie for cel in self.cellen() if cel.doorlatend and cel.lamp}

    def beschenen(self, r, k):
        for dr, dk in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            stap = 1
            while True:
                cel = self.cel(r + stap * dr, k + stap * dk)
                if cel is None or not cel.doorlatend:
                    break
                yield cel
                stap += 1

    def stralen(self, r, k):
        if self.cel(r, k) is None:
            raise OngeldigePositie()
        return {cel.positie for cel in self.beschenen(r, k)}

    def verlicht(self):
        return {cel.positie for cel in self.cellen() if cel.doorlatend and cel.bronnen > 0}

    def plaats_lamp(self, r, k):
        cel = self.cel(r, k)
        if cel is None or not cel.doorlatend:
            raise OngeldigePositie()
        if cel.lamp or cel.bronnen > 0:
            raise OngeldigePositie()
        for buur in cel.buren:
            if not buur.kan_lamp_bij():
                raise OngeldigePositie()
        cel.lamp = True
        for ander in self.beschenen(r, k):
            ander.bronnen += 1

    def verwijder_lamp(self, r, k):
        cel = self.cel(r, k)
        if cel is None or not cel.doorlatend or not cel.lamp:
            raise OngeldigePositie()
        cel.lamp = False
        for ander in self.beschenen(r, k):
            ander.bronnen -= 1

    def isopgelost(self):
        return all(cel.in_orde() for cel in self.cellen())

    def __str__(self):
        return '\n'.join(''.join(cel.teken() for cel in rij) for rij in self.rooster)
