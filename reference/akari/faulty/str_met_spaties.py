"""De cellen van een rij worden gescheiden door een spatie in de stringvoorstelling."""
# verliest: str

LAMP = 'L'
LICHT = '*'
LEEG = '_'
FOUT = 'ongeldige positie'


class Akari:

    def __init__(self, rijen, kolommen, bestands_naam):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()
        # hoeveel lampen schijnen er op elke cel
        self.aantal_keer_verlicht = {}
        self._lees_bestand(bestands_naam)

    def _lees_bestand(self, bestands_naam):
        invoer = open(bestands_naam, 'r', encoding='utf-8')
        for regel in invoer:
            regel = regel.strip()
            if regel == '':
                continue
            rij, kolom, symbool = regel.split(' ')
            self.zwarte_cellen[int(rij), int(kolom)] = symbool
        invoer.close()

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
        teller = 0
        for verschil in (-1, 1):
            if (rij + verschil, kolom) in self.lampen:
                teller += 1
            if (rij, kolom + verschil) in self.lampen:
                teller += 1
        return teller

    def _getallen_naast(self, rij, kolom):
        """Geeft de genummerde zwarte cellen naast een cel."""
        cellen = []
        for verschil in (-1, 1):
            for cel in ((rij + verschil, kolom), (rij, kolom + verschil)):
                if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != '?':
                    cellen.append(cel)
        return cellen

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
            if self._lampen_naast(cel[0], cel[1]) == int(self.zwarte_cellen[cel]):
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
        for cel, symbool in self.zwarte_cellen.items():
            if symbool != '?' and self._lampen_naast(cel[0], cel[1]) != int(symbool):
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
            rooster.append(' '.join(regel))
        return '\n'.join(rooster)
