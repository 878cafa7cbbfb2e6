"""Tries an action on the board, tests all squares, rolls back from copy.deepcopy; exceptions are caught and raised again."""
import copy


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.rooster = [['-'] * dimensie for i in range(dimensie)]
        try:
            self.zet_allemaal(wit, 'W')
            self.zet_allemaal(zwart, 'B')
            self.controleer_vierkanten()
        except ValueError:
            raise AssertionError('ongeldige puzzel')

    def zet_allemaal(self, posities, letter):
        for positie in set(posities):
            self.zet(positie, letter)

    def zet(self, positie, letter):
        rij, kolom = positie
        self.controleer_binnen(positie)
        if self.rooster[rij][kolom] != '-':
            raise ValueError('bezet')
        self.rooster[rij][kolom] = letter

    def controleer_binnen(self, positie):
        rij, kolom = positie
        if rij < 0 or kolom < 0 or rij >= self.dimensie or kolom >= self.dimensie:
            raise ValueError('buiten het rooster')

    def controleer_vierkanten(self):
        for rij in range(self.dimensie - 1):
            for kolom in range(self.dimensie - 1):
                letters = set()
                for i in (rij, rij + 1):
                    for j in (kolom, kolom + 1):
                        letters.add(self.rooster[i][j].upper())
                if letters == {'W'} or letters == {'B'}:
                    raise ValueError('vierkant')

    def probeer(self, positie, letter):
        bewaard = copy.deepcopy(self.rooster)
        try:
            self.zet(positie, letter)
            self.controleer_vierkanten()
        except ValueError as fout:
            self.rooster = bewaard
            raise AssertionError('ongeldige actie') from fout
        return self

    def maak_wit(self, positie):
        return self.probeer(positie, 'w')

    def maak_zwart(self, positie):
        return self.probeer(positie, 'b')

    def maak_leeg(self, positie):
        try:
            self.controleer_binnen(positie)
            if self.rooster[positie[0]][positie[1]] not in ['w', 'b']:
                raise ValueError('leeg of vast')
        except ValueError:
            raise AssertionError('ongeldige actie')
        self.rooster[positie[0]][positie[1]] = '-'
        return self

    def aaneengesloten_gebied(self, positie):
        try:
            self.controleer_binnen(positie)
        except ValueError:
            return set()
        kleur = self.rooster[positie[0]][positie[1]].lower()
        if kleur == '-':
            return set()
        # vlekken op een kopie van het rooster
        kopie = copy.deepcopy(self.rooster)
        gebied = set()
        te_onderzoeken = [positie]
        while te_onderzoeken:
            rij, kolom = te_onderzoeken.pop()
            if rij not in range(self.dimensie) or kolom not in range(self.dimensie):
                continue
            if kopie[rij][kolom].lower() == kleur:
                kopie[rij][kolom] = '*'
                gebied.add((rij, kolom))
                te_onderzoeken.extend([(rij + 1, kolom), (rij - 1, kolom), (rij, kolom + 1), (rij, kolom - 1)])
        return gebied

    def isopgelost(self):
        alles = ''.join([''.join(rij) for rij in self.rooster]).lower()
        if '-' in alles:
            return False
        try:
            self.controleer_vierkanten()
        except ValueError:
            return False
        aantal_gebieden = {'w': 0, 'b': 0}
        gezien = set()
        for rij in range(self.dimensie):
            for kolom in range(self.dimensie):
                if (rij, kolom) not in gezien:
                    gezien |= self.aaneengesloten_gebied((rij, kolom))
                    aantal_gebieden[self.rooster[rij][kolom].lower()] += 1
        return aantal_gebieden['w'] <= 1 and aantal_gebieden['b'] <= 1

    def __str__(self):
        return '\n'.join([''.join(rij) for rij in self.rooster])
