"""The board is one long string with newlines, private names with name mangling, split on newlines to find a row."""


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.__n = dimensie
        self.__bord = '\n'.join(['-' * dimensie] * dimensie)
        for collectie, letter in ((wit, 'W'), (zwart, 'B')):
            for rij, kolom in collectie:
                if not (0 <= rij < dimensie and 0 <= kolom < dimensie):
                    raise AssertionError('ongeldige puzzel')
                # dezelfde positie mag wel twee keer in dezelfde collectie staan
                if self.__teken(rij, kolom) not in ('-', letter):
                    raise AssertionError('ongeldige puzzel')
                self.__zet(rij, kolom, letter)
        if self.__vierkant():
            raise AssertionError('ongeldige puzzel')

    def __index(self, rij, kolom):
        return rij * (self.__n + 1) + kolom

    def __teken(self, rij, kolom):
        return self.__bord[self.__index(rij, kolom)]

    def __zet(self, rij, kolom, letter):
        i = self.__index(rij, kolom)
        self.__bord = self.__bord[:i] + letter + self.__bord[i + 1:]

    def __vierkant(self):
        """is er ergens een 2x2 vierkant van een kleur?"""
        rijen = self.__bord.upper().split('\n')
        for boven, onder in zip(rijen, rijen[1:]):
            for i in range(len(boven) - 1):
                blok = boven[i:i + 2] + onder[i:i + 2]
                if blok == 'WWWW' or blok == 'BBBB':
                    return True
        return False

    def __kleur(self, p, letter):
        if not (0 <= p[0] < self.__n and 0 <= p[1] < self.__n):
            raise AssertionError('ongeldige actie')
        if self.__teken(p[0], p[1]) != '-':
            raise AssertionError('ongeldige actie')
        oud = self.__bord
        self.__zet(p[0], p[1], letter)
        if self.__vierkant():
            self.__bord = oud
            raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, p):
        return self.__kleur(p, 'w')

    def maak_zwart(self, p):
        return self.__kleur(p, 'b')

    def maak_leeg(self, p):
        if not (0 <= p[0] < self.__n and 0 <= p[1] < self.__n):
            raise AssertionError('ongeldige actie')
        if self.__teken(*p) in 'WB-':
            raise AssertionError('ongeldige actie')
        self.__zet(*p, '-')
        return self

    def aaneengesloten_gebied(self, p):
        if not (0 <= p[0] < self.__n and 0 <= p[1] < self.__n):
            return set()
        bord = self.__bord.upper()
        kleur = bord[self.__index(*p)]
        if kleur == '-':
            return set()
        # werken met indexen in de string; een newline is nooit een kleur
        gezien = {self.__index(*p)}
        stapel = list(gezien)
        while stapel:
            i = stapel.pop()
            for j in (i - 1, i + 1, i - self.__n - 1, i + self.__n + 1):
                if 0 <= j < len(bord) and bord[j] == kleur and j not in gezien:
                    gezien.add(j)
                    stapel.append(j)
        return {divmod(i, self.__n + 1) for i in gezien}

    def isopgelost(self):
        if '-' in self.__bord:
            return False
        bord = self.__bord.upper()
        for kleur in 'WB':
            start = bord.find(kleur)
            if start == -1:
                continue
            gebied = self.aaneengesloten_gebied(divmod(start, self.__n + 1))
            if len(gebied) != bord.count(kleur):
                return False
        return not self.__vierkant()

    def __str__(self):
        return self.__bord
