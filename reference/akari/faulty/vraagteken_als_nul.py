"""Een zwarte cel met een vraagteken wordt behandeld als een zwarte cel met een 0."""
# verliest: lampen, verlicht, str, plaats_lamp, isopgelost

LAMP = 'L'
LICHT = '*'
LEEG = '_'
FOUT = 'ongeldige positie'


class Akari:

    def __init__(self, rijen, kolommen, bestandsnaam):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        # hoeveel lampen schijnen er op elke cel
        self.aantal_keer_verlicht = {}
        self._lees_bestand(bestandsnaam)

    def _lees_bestand(self, bestandsnaam):
        bestand = open(bestandsnaam, 'r', encoding='utf-8')
        for regel in bestand:
            regel = regel.strip()
            if regel == '':
                continue
            rij, kolom, symbool = regel.split(' ')
            self.zwarte_cellen[int(rij), int(kolom)] = symbool
        bestand.close()

    def _straal(self, positie, richting):
        """Geeft alle cellen in één richting, tot aan een zwarte cel of de rand."""
        cellen = set()
        rij, kolom = positie[0] + richting[0], positie[1] + richting[1]
        while 0 <= rij < self.rijen and 0 <= kolom < self.kolommen:
            if (rij, kolom) in self.zwarte_cellen:
                break
            cellen.add((rij, kolom))
            rij, kolom = rij + richting[0], kolom + richting[1]
        return cellen

    def _lampen_naast(self, rij, kolom):
        aantal = 0
        for verschil in (-1, 1):
            if (rij + verschil, kolom) in self.lampen:
                aantal += 1
            if (rij, kolom + verschil) in self.lampen:
                aantal += 1
        return aantal

    def _getallen_naast(self, rij, kolom):
        """Geeft de zwarte cellen naast een cel."""
        cellen = []
        for verschil in (-1, 1):
            for cel in ((rij + verschil, kolom), (rij, kolom + verschil)):
                if cel in self.zwarte_cellen:
                    cellen.append(cel)
        return cellen

    def _getal(self, cel):
        if self.zwarte_cellen[cel] == '?':
            return 0
        return int(self.zwarte_cellen[cel])

    def stralen(self, rij, kolom):
        cellen = set()
        for richting in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            cellen |= self._straal((rij, kolom), richting)
        return cellen

    def verlicht(self):
        return {cel for cel in self.aantal_keer_verlicht if self.aantal_keer_verlicht[cel] > 0}

    def plaats_lamp(self, rij, kolom):
        if not (0 <= rij < self.rijen and 0 <= kolom < self.kolommen):
            raise AssertionError(FOUT)
        if (rij, kolom) in self.zwarte_cellen:
            raise AssertionError(FOUT)
        if (rij, kolom) in self.lampen or (rij, kolom) in self.verlicht():
            raise AssertionError(FOUT)
        for cel in self._getallen_naast(rij, kolom):
            if self._lampen_naast(cel[0], cel[1]) == self._getal(cel):
                raise AssertionError(FOUT)
        self.lampen.add((rij, kolom))
        for cel in self.stralen(rij, kolom):
            self.aantal_keer_verlicht[cel] = self.aantal_keer_verlicht.get(cel, 0) + 1

    def verwijder_lamp(self, rij, kolom):
        if (rij, kolom) not in self.lampen:
            raise AssertionError(FOUT)
        self.lampen.discard((rij, kolom))
        for cel in self.stralen(rij, kolom):
            self.aantal_keer_verlicht[cel] -= 1

    def isopgelost(self):
        opgelost = True
        for cel in self.zwarte_cellen:
            if self._lampen_naast(cel[0], cel[1]) != self._getal(cel):
                opgelost = False
        if LEEG in self.__str__():
            opgelost = False
        return opgelost

    def __str__(self):
        rooster = []
        for rij in range(self.rijen):
            regel = []
            for kolom in range(self.kolommen):
                cel = (rij, kolom)
                if cel in self.lampen:
                    regel.append(LAMP)
                elif cel in self.zwarte_cellen:
                    regel.append(self.zwarte_cellen[cel])
                elif cel in self.verlicht():
                    regel.append(LICHT)
                else:
                    regel.append(LEEG)
            rooster.append(''.join(regel))
        return '\n'.join(rooster)
