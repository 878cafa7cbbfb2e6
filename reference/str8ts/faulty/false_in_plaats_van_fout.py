"""Geeft False terug bij een ongeldige vulling in plaats van een AssertionError op te werpen."""
# verliest: horizontaal_invullen, verticaal_invullen

# Oefening Str8ts

class Cel:

    def __init__(self, karakter):

        geldig = False
        for mogelijk in ['.', '#', '1', '2', '3', '4', '5', '6', '7', '8', '9',
                         'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I']:
            if karakter == mogelijk:
                geldig = True
        assert geldig == True, "ongeldig symbool"

        self.karakter = karakter

    def isgekleurd(self):

        if self.karakter == '#':
            return True
        elif self.karakter >= 'A' and self.karakter <= 'I':
            return True
        else:
            return False

    def cijfer(self):

        omzetting = {'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5,
                     'F': 6, 'G': 7, 'H': 8, 'I': 9}
        if self.karakter == '.' or self.karakter == '#':
            return None
        elif self.karakter in omzetting:
            return omzetting[self.karakter]
        else:
            return int(self.karakter)

    def __str__(self):

        return self.karakter


def isstraat(n):

    # cijfers in een lijst steken
    lijst = []
    while n > 0:
        lijst.append(n % 10)
        n = n // 10

    # geen cijfers = getal nul
    if len(lijst) == 0:
        return False
    if 0 in lijst:
        return False

    lijst.sort()
    straat = True
    for index in range(len(lijst) - 1):
        if lijst[index] + 1 != lijst[index + 1]:
            straat = False

    return straat


class Str8ts:

    def __init__(self, bestandsnaam):

        bestand = open(bestandsnaam, 'r')
        self.raster = []
        for lijn in bestand.readlines():
            rij = []
            for karakter in lijn.strip():
                rij.append(Cel(karakter))
            if len(rij) > 0:
                self.raster.append(rij)
        bestand.close()

    def __str__(self):

        lijnen = []
        for rij in self.raster:
            lijn = ''
            for cel in rij:
                lijn = lijn + str(cel)
            lijnen.append(lijn)
        return '\n'.join(lijnen)

    def horizontaal_getallen(self, rijnummer):

        getallen = {}
        patroon = ''
        for kolom in range(9):
            cel = self.raster[rijnummer][kolom]
            if cel.isgekleurd() == False:
                patroon = patroon + str(cel)
            else:
                if patroon != '':
                    getallen[kolom - len(patroon)] = patroon
                patroon = ''
        # laatste getal niet vergeten
        if patroon != '':
            getallen[9 - len(patroon)] = patroon
        return getallen

    def verticaal_getallen(self, kolomnummer):

        getallen = {}
        patroon = ''
        for rij in range(9):
            cel = self.raster[rij][kolomnummer]
            if cel.isgekleurd() == False:
                patroon = patroon + str(cel)
            else:
                if patroon != '':
                    getallen[rij - len(patroon)] = patroon
                patroon = ''
        # laatste getal niet vergeten
        if patroon != '':
            getallen[9 - len(patroon)] = patroon
        return getallen

    def horizontaal_cijfers(self, rijnummer):

        cijfers = set()
        for kolom in range(9):
            cijfer = self.raster[rijnummer][kolom].cijfer()
            if cijfer != None:
                cijfers.add(cijfer)
        return cijfers

    def verticaal_cijfers(self, kolomnummer):

        cijfers = set()
        for rij in range(9):
            cijfer = self.raster[rij][kolomnummer].cijfer()
            if cijfer != None:
                cijfers.add(cijfer)
        return cijfers

    def horizontaal_invullen(self, r, k, n):

        mag = True
        # voorwaarde 1: straat
        if isstraat(n) == False:
            mag = False
        # voorwaarde 2: eerste cel van een getal
        elif r < 0 or r > 8 or k not in self.horizontaal_getallen(r):
            mag = False
        # voorwaarde 3: lengte
        elif len(self.horizontaal_getallen(r)[k]) != len(str(n)):
            mag = False
        else:
            teller = 0
            for karakter in str(n):
                cijfer = int(karakter)
                cel = self.raster[r][k + teller]
                # voorwaarde 4: ingevulde cijfers
                if cel.cijfer() != None and cel.cijfer() != cijfer:
                    mag = False
                # voorwaarde 5: nieuwe cijfers
                if cel.cijfer() == None:
                    if cijfer in self.horizontaal_cijfers(r):
                        mag = False
                    if cijfer in self.verticaal_cijfers(k + teller):
                        mag = False
                teller = teller + 1

        if mag == False:
            return False

        teller = 0
        for karakter in str(n):
            self.raster[r][k + teller] = Cel(karakter)
            teller = teller + 1

    def verticaal_invullen(self, r, k, n):

        mag = True
        # voorwaarde 1: straat
        if isstraat(n) == False:
            mag = False
        # voorwaarde 2: eerste cel van een getal
        elif k < 0 or k > 8 or r not in self.verticaal_getallen(k):
            mag = False
        # voorwaarde 3: lengte
        elif len(self.verticaal_getallen(k)[r]) != len(str(n)):
            mag = False
        else:
            teller = 0
            for karakter in str(n):
                cijfer = int(karakter)
                cel = self.raster[r + teller][k]
                # voorwaarde 4: ingevulde cijfers
                if cel.cijfer() != None and cel.cijfer() != cijfer:
                    mag = False
                # voorwaarde 5: nieuwe cijfers
                if cel.cijfer() == None:
                    if cijfer in self.horizontaal_cijfers(r + teller):
                        mag = False
                    if cijfer in self.verticaal_cijfers(k):
                        mag = False
                teller = teller + 1

        if mag == False:
            return False

        teller = 0
        for karakter in str(n):
            self.raster[r + teller][k] = Cel(karakter)
            teller = teller + 1
