"""Controleert niet of de cijfers die al ingevuld zijn overeenkomen met die van het getal."""
# verliest: horizontaal_invullen, verticaal_invullen

# Oefening Str8ts

class Cel:

    def __init__(self, teken):

        geldig = False
        for mogelijk in [".", "#", "1", "2", "3", "4", "5", "6", "7", "8", "9",
                         "A", "B", "C", "D", "E", "F", "G", "H", "I"]:
            if teken == mogelijk:
                geldig = True
        assert geldig == True, "ongeldig symbool"

        self.teken = teken

    def isgekleurd(self):

        if self.teken == "#":
            return True
        elif self.teken >= "A" and self.teken <= "I":
            return True
        else:
            return False

    def cijfer(self):

        omzetting = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5,
                     "F": 6, "G": 7, "H": 8, "I": 9}
        if self.teken == "." or self.teken == "#":
            return None
        elif self.teken in omzetting:
            return omzetting[self.teken]
        else:
            return int(self.teken)

    def __str__(self):

        return self.teken


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

        bestand = open(bestandsnaam, "r")
        self.rooster = []
        for lijn in bestand.readlines():
            rij = []
            for teken in lijn.strip():
                rij.append(Cel(teken))
            if len(rij) > 0:
                self.rooster.append(rij)
        bestand.close()

    def __str__(self):

        lijnen = []
        for rij in self.rooster:
            lijn = ""
            for cel in rij:
                lijn = lijn + str(cel)
            lijnen.append(lijn)
        return "\n".join(lijnen)

    def horizontaal_getallen(self, rijnummer):

        getallen = {}
        patroon = ""
        for kolom in range(9):
            cel = self.rooster[rijnummer][kolom]
            if cel.isgekleurd() == False:
                patroon = patroon + str(cel)
            else:
                if patroon != "":
                    getallen[kolom - len(patroon)] = patroon
                patroon = ""
        # laatste getal niet vergeten
        if patroon != "":
            getallen[9 - len(patroon)] = patroon
        return getallen

    def verticaal_getallen(self, kolomnummer):

        getallen = {}
        patroon = ""
        for rij in range(9):
            cel = self.rooster[rij][kolomnummer]
            if cel.isgekleurd() == False:
                patroon = patroon + str(cel)
            else:
                if patroon != "":
                    getallen[rij - len(patroon)] = patroon
                patroon = ""
        # laatste getal niet vergeten
        if patroon != "":
            getallen[9 - len(patroon)] = patroon
        return getallen

    def horizontaal_cijfers(self, rijnummer):

        cijfers = set()
        for kolom in range(9):
            cijfer = self.rooster[rijnummer][kolom].cijfer()
            if cijfer != None:
                cijfers.add(cijfer)
        return cijfers

    def verticaal_cijfers(self, kolomnummer):

        cijfers = set()
        for rij in range(9):
            cijfer = self.rooster[rij][kolomnummer].cijfer()
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
            for teken in str(n):
                cijfer = int(teken)
                cel = self.rooster[r][k + teller]
                # nieuwe cijfers
                if cel.cijfer() == None:
                    if cijfer in self.horizontaal_cijfers(r):
                        mag = False
                    if cijfer in self.verticaal_cijfers(k + teller):
                        mag = False
                teller = teller + 1

        assert mag, "ongeldige vulling"

        teller = 0
        for teken in str(n):
            self.rooster[r][k + teller] = Cel(teken)
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
            for teken in str(n):
                cijfer = int(teken)
                cel = self.rooster[r + teller][k]
                # nieuwe cijfers
                if cel.cijfer() == None:
                    if cijfer in self.horizontaal_cijfers(r + teller):
                        mag = False
                    if cijfer in self.verticaal_cijfers(k):
                        mag = False
                teller = teller + 1

        assert mag, "ongeldige vulling"

        teller = 0
        for teken in str(n):
            self.rooster[r + teller][k] = Cel(teken)
            teller = teller + 1
